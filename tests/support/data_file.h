// The path of a published data set: in $ESPALIER_DATA, else in data/ next to the sources. The file may not exist.
#pragma once
#include <cstdlib>
#include <string>

namespace espalier::test {

inline std::string data_file(const std::string& name) {
  const char* folder = std::getenv("ESPALIER_DATA");
  return (folder != nullptr && *folder != '\0' ? std::string(folder) : ESPALIER_SOURCE_DIR "/data") + "/" + name;
}

}  // namespace espalier::test
