#include "predict/line_source.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <espalier/base/error.h>

#include "interrupt.h"

namespace espalier::app {

LineSource::LineSource(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
  struct stat status{};
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) file_.reset(gzdopen(dup(descriptor), "rb"));
}

std::vector<Line> LineSource::next(size_t most) {
  std::vector<Line> lines;
  size_t bytes = 0;
  while (lines.size() < most && bytes <= longest) {
    if (const size_t end = buffer_.find('\n', looked_at_); end != std::string::npos) {
      lines.push_back(take(end));
      begin_ = looked_at_ = end + 1;
      bytes += lines.back().text.size();
      continue;
    }
    buffer_.erase(0, std::exchange(begin_, 0));
    if (too_long_ || buffer_.size() > longest + 1) {  // 1: a carriage return
      too_long_ = true;
      buffer_.clear();
    }
    looked_at_ = buffer_.size();
    if (ended_ && (looked_at_ > 0 || too_long_)) {
      lines.push_back(take(looked_at_));
      begin_ = looked_at_;
    }
    if (ended_ || (!lines.empty() && !is_ready()) || !fill()) break;
  }
  return lines;
}

Line LineSource::take(size_t end) {
  size_t length = end - begin_;
  if (length > 0 && buffer_[end - 1] == '\r') --length;
  if (std::exchange(too_long_, false) || length > longest) return {.text = {}, .too_long = true};
  constexpr std::string_view mark = "\xef\xbb\xbf";
  const bool is_marked =
      std::exchange(is_first_, false) && std::string_view(buffer_).substr(begin_, length).starts_with(mark);
  const size_t skipped = is_marked ? mark.size() : 0;
  return {buffer_.substr(begin_ + skipped, length - skipped)};
}

bool LineSource::is_ready() const {
  pollfd p{descriptor_, POLLIN, 0};
  return poll(&p, 1, 0) > 0;
}

bool LineSource::fill() {
  char part[1 << 16];
  // A signal interrupts poll; read might be restarted (SA_RESTART).
  pollfd p{descriptor_, POLLIN, 0};
  if (poll(&p, 1, -1) < 0 && interrupt_asked()) return false;
  const ssize_t n = file_ ? gzread(file_.get(), part, sizeof part) : ::read(descriptor_, part, sizeof part);
  if (file_ && n < 0) throw DataError(fmt::format("{}: cannot be read: damaged gzip data", name_));
  if (n < 0 && errno == EINTR) return !interrupt_asked();
  if (n < 0) throw DataError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
  ended_ = n == 0;
  buffer_.append(part, static_cast<size_t>(n));
  return true;
}

}  // namespace espalier::app
