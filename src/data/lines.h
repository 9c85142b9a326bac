// The lines of a file, plain or gzip, one at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/place.h"

struct gzFile_s;

namespace espalier::data {

class Lines {
 public:
  static constexpr size_t longest = 1 << 20;  // of a line, in bytes: a binary file has no lines

  explicit Lines(const std::string& path);  // DataError: cannot be opened
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  bool next();  // to the next line, if there is one. DataError: cannot be read, too long
  std::string_view line() const { return line_; }  // without its end; until next() is called
  Place at(size_t column = 1) const { return {path_, number_, column}; }

 private:
  bool fill();  // more of the file behind what is there; false: there is no more

  std::string path_;
  gzFile_s* file_ = nullptr;
  std::string buffer_;
  size_t begin_ = 0, end_ = 0;  // of what was read and not yet given
  size_t number_ = 0;
  std::string_view line_;
};

}  // namespace espalier::data
