// A regular file with random access.
#pragma once
#include <cstdint>
#include <string>

namespace espalier::io {

class InputFile {
 public:
  explicit InputFile(const std::string& path);  // DataError if it cannot be opened or is not a regular file
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  void read(void* to, uint64_t bytes, uint64_t at) const;  // DataError if the file is too short
  [[noreturn]] void fail(const std::string& what) const;   // throws DataError; the message begins with the path

 private:
  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace espalier::io
