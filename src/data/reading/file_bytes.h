// The bytes of a file, plain or gzip: the first two bytes tell.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <zlib.h>

namespace espalier::data {

class FileBytes {
 public:
  explicit FileBytes(const std::string& path);  // DataError: cannot be opened
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  // Up to n bytes; 0: the file ends, or there is a problem.
  size_t read(char* to, size_t n);
  // Why no more can be read: an error of the system, gzip data that are damaged or cut off, or anything but another
  // gzip member behind one. Empty: nothing.
  const std::string& problem() const { return problem_; }

 private:
  bool fill();  // input_, which is used up; false: the file ends, or there is a problem
  size_t inflate_to(char* to, size_t n);
  size_t left() const { return input_end_ - input_at_; }

  int fd_ = -1;
  std::string problem_;
  std::vector<unsigned char> input_;
  size_t input_at_ = 0, input_end_ = 0;
  enum class Kind { unknown, plain, gzip } kind_ = Kind::unknown;
  bool between_members_ = false;
  z_stream stream_{};
};

}  // namespace espalier::data
