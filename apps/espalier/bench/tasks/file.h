// Opens a file of examples.
#pragma once
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include <espalier/base/error.h>

namespace espalier::app::bench {

inline std::ifstream open(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file || file.peek() == std::ifstream::traits_type::eof())
    throw DataError(path + ": " + (errno != 0 ? std::strerror(errno) : "the file is empty"));
  return file;
}

}  // namespace espalier::app::bench
