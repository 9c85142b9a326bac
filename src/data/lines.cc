#include "data/lines.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

namespace espalier::data {
namespace {
constexpr size_t at_once = 1 << 16;
}

Lines::Lines(const std::string& path) : path_(path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw DataError(path + ": cannot be opened: " + std::strerror(errno));
  file_ = gzdopen(fd, "rb");  // reads what is not gzip as it is
  if (!file_) {
    ::close(fd);
    throw DataError(path + ": cannot be opened: there is no memory");
  }
}

Lines::~Lines() { gzclose_r(file_); }

bool Lines::next() {
  ++number_;
  size_t looked_at = begin_;
  for (;;) {
    if (const void* end = std::memchr(buffer_.data() + looked_at, '\n', end_ - looked_at)) {
      const auto at = static_cast<size_t>(static_cast<const char*>(end) - buffer_.data());
      line_ = std::string_view(buffer_).substr(begin_, at - begin_);
      begin_ = at + 1;
      return true;
    }
    if (end_ - begin_ > longest) at().fail("a line of more than " + std::to_string(longest) + " bytes");
    const size_t before = end_ - begin_;
    if (!fill()) break;
    looked_at = begin_ + before;
  }
  line_ = std::string_view(buffer_).substr(begin_, end_ - begin_);
  begin_ = end_;
  return !line_.empty();
}

bool Lines::fill() {
  buffer_.erase(0, begin_);
  end_ -= begin_;
  begin_ = 0;
  buffer_.resize(end_ + at_once);
  const int n = gzread(file_, buffer_.data() + end_, at_once);
  int error = Z_OK;
  const char* why = gzerror(file_, &error);
  if (error == Z_BUF_ERROR) at().fail("the file ends in the middle of its gzip data");
  if (n < 0) at().fail(std::string("cannot be read: ") + (error == Z_ERRNO ? std::strerror(errno) : why));
  end_ += static_cast<size_t>(n);
  return n > 0;
}

}  // namespace espalier::data
