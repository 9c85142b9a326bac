// FileError: a file that cannot be opened, read or written.
#pragma once
#include <string>

#include <espalier/base/error.h>

namespace espalier {

struct ESPALIER_API FileError : DataError {
  // `what`: "opened", for "PATH: cannot be opened: No such file or directory". code: errno.
  FileError(std::string path, const char* what, int code);

  std::string path;
  int code;
};

}  // namespace espalier
