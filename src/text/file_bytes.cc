#include "text/file_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <espalier/base/error.h>
#include <espalier/base/file_error.h>

namespace espalier::text {
namespace {
constexpr size_t input_bytes = 1 << 16;
constexpr unsigned char gzip_mark[] = {0x1f, 0x8b};
constexpr int gzip_window = 15 + 16;  // 15: the largest window; +16: gzip format, with its checksum verified by zlib
}  // namespace

FileBytes::FileBytes(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), input_(input_bytes) {
  if (fd_ < 0) throw FileError(path, "opened", errno);
}

FileBytes::~FileBytes() {
  if (kind_ == Kind::gzip) inflateEnd(&stream_);
  ::close(fd_);
}

bool FileBytes::fill() {
  std::copy(input_.begin() + static_cast<std::ptrdiff_t>(input_at_),
            input_.begin() + static_cast<std::ptrdiff_t>(input_end_), input_.begin());
  input_end_ = left();
  input_at_ = 0;
  ssize_t n = 0;
  do {
    n = ::read(fd_, input_.data() + input_end_, input_.size() - input_end_);
  } while (n < 0 && errno == EINTR);
  if (n < 0) {
    system_error_ = errno;
    problem_ = std::string("cannot be read: ") + std::strerror(errno);
  }
  if (n > 0) input_end_ += static_cast<size_t>(n);
  return n > 0;
}

size_t FileBytes::read(char* to, size_t n) {
  if (!problem_.empty()) return 0;
  if (kind_ == Kind::unknown) {
    while (left() < sizeof gzip_mark && fill()) {
    }
    const bool marked = left() >= sizeof gzip_mark && std::memcmp(input_.data(), gzip_mark, sizeof gzip_mark) == 0;
    if (marked && inflateInit2(&stream_, gzip_window) != Z_OK) {
      problem_ = "cannot be read: out of memory";
      return 0;
    }
    kind_ = marked ? Kind::gzip : Kind::plain;
  }
  if (kind_ == Kind::gzip) return inflate_to(to, n);
  if (left() == 0 && !fill()) return 0;
  const size_t count = std::min(n, left());
  std::memcpy(to, input_.data() + input_at_, count);
  input_at_ += count;
  return count;
}

size_t FileBytes::inflate_to(char* to, size_t n) {
  stream_.next_out = reinterpret_cast<Bytef*>(to);
  stream_.avail_out = static_cast<uInt>(n);
  while (stream_.avail_out == n) {
    if (between_members_) {
      while (left() < sizeof gzip_mark && fill()) {
      }
      if (left() == 0) return 0;
      if (left() < sizeof gzip_mark || std::memcmp(input_.data() + input_at_, gzip_mark, sizeof gzip_mark) != 0) {
        problem_ = "bytes that are not gzip follow the gzip data";
        return 0;
      }
      inflateReset(&stream_);
      between_members_ = false;
    }
    if (left() == 0 && !fill()) {
      if (problem_.empty()) problem_ = "the file ends in the middle of its gzip data";
      return 0;
    }
    stream_.next_in = input_.data() + input_at_;
    stream_.avail_in = static_cast<uInt>(left());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    input_at_ = input_end_ - stream_.avail_in;
    between_members_ = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      problem_ = std::string("cannot be read: ") + (stream_.msg != nullptr ? stream_.msg : "damaged gzip data");
      break;
    }
  }
  return n - stream_.avail_out;
}

}  // namespace espalier::text
