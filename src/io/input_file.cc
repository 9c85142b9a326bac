#include "io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/core.h>
#include <espalier/base/error.h>
#include <espalier/base/file_error.h>

namespace espalier::io {

InputFile::InputFile(const std::string& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) throw FileError(path_, "opened", errno);
  struct stat status{};
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd_);
    fail("is not a regular file");
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(fd_); }

void InputFile::read(void* to, uint64_t bytes, uint64_t at) const {
  char* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = ::pread(fd_, next, bytes, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw FileError(path_, "read", errno);
    if (n == 0) fail(fmt::format("ended at byte {} while being read", at));
    next += n;
    at += static_cast<uint64_t>(n);
    bytes -= static_cast<uint64_t>(n);
  }
}

void InputFile::fail(const std::string& what) const { throw DataError(path_ + ": " + what); }

}  // namespace espalier::io
