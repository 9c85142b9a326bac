// FileBytes: reads a plain or gzip file, distinguished by its first two bytes.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <zlib.h>

namespace espalier::text {

class FileBytes {
 public:
  explicit FileBytes(const std::string& path);  // FileError if the file cannot be opened
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  // Reads up to n bytes; returns 0 at the end of the file or on an error, see problem().
  size_t read(char* to, size_t n);
  // The error that stopped the reading: a system error, damaged or truncated gzip data, or non-gzip bytes after a gzip
  // member. Empty: no error.
  const std::string& problem() const { return problem_; }
  int system_error() const { return system_error_; }  // errno of a system error; 0: none

 private:
  bool fill();  // appends to input_ after its unread bytes; false at the end of the file or on an error
  size_t inflate_to(char* to, size_t n);
  size_t left() const { return input_end_ - input_at_; }

  int fd_ = -1;
  std::string problem_;
  int system_error_ = 0;
  std::vector<unsigned char> input_;
  size_t input_at_ = 0, input_end_ = 0;
  enum class Kind { unknown, plain, gzip } kind_ = Kind::unknown;
  bool between_members_ = false;
  z_stream stream_{};
};

}  // namespace espalier::text
