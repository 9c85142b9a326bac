// Published data sets for tests, in the folder $ESPALIER_DATA.
#pragma once
#include <cstdlib>
#include <string>

namespace espalier::test {

inline std::string data_folder() {
  const char* folder = std::getenv("ESPALIER_DATA");
  return folder == nullptr ? "" : folder;
}

// The path of a file, which may not exist. Without $ESPALIER_DATA it never exists.
inline std::string data_file(const std::string& name) {
  return (data_folder().empty() ? "/ESPALIER_DATA is not set" : data_folder()) + "/" + name;
}

// Why a test is skipped.
inline std::string no_data() {
  return data_folder().empty() ? "skipped: ESPALIER_DATA is not set" : "skipped: the file is not in " + data_folder();
}

}  // namespace espalier::test
