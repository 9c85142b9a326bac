// A plain file, read at any byte.
#pragma once
#include <cstdint>
#include <string>

namespace espalier::io {

class InputFile {
 public:
  explicit InputFile(const std::string& path);  // DataError: cannot be opened, is not a plain file
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  void read(void* to, uint64_t bytes, uint64_t at) const;  // DataError: there are not so many
  [[noreturn]] void fail(const std::string& what) const;   // DataError, beginning with the path

 private:
  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace espalier::io
