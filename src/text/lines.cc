#include <espalier/text/lines.h>

#include <cstring>
#include <istream>

#include <espalier/base/file_error.h>
#include "text/file_bytes.h"
#include "text/file_position.h"

namespace espalier::text {
namespace {
constexpr size_t at_once = 1 << 16;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
}  // namespace

Lines::Lines(const std::string& path) : name_(path), file_(std::make_unique<FileBytes>(path)) {}
Lines::Lines(std::istream& stream, std::string_view name) : name_(name), stream_(&stream) {}
Lines::~Lines() = default;
Lines::Lines(Lines&&) noexcept = default;
Lines& Lines::operator=(Lines&&) noexcept = default;

bool Lines::next() {
  ++number_;
  size_t looked_at = begin_;
  for (;;) {
    const char* from = buffer_.data();
    if (const void* end = looked_at < end_ ? std::memchr(from + looked_at, '\n', end_ - looked_at) : nullptr) {
      const auto at = static_cast<size_t>(static_cast<const char*>(end) - from);
      line_ = {from + begin_, at - begin_};
      begin_ = at + 1;
      break;
    }
    if (end_ - begin_ > longest) fail(1, "the line is longer than " + std::to_string(longest) + " bytes");
    const size_t before = end_ - begin_;
    if (!fill()) {
      line_ = {buffer_.data() + begin_, end_ - begin_};
      begin_ = end_;
      if (line_.empty()) return false;
      break;
    }
    looked_at = begin_ + before;
  }
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  if (number_ == 1 && line_.starts_with(byte_order_mark)) line_.remove_prefix(byte_order_mark.size());
  return true;
}

bool Lines::fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < end_ + at_once) buffer_.resize(2 * end_ + at_once);
  const size_t n = stream_ ? read_stream(buffer_.data() + end_, at_once) : read_file(buffer_.data() + end_, at_once);
  end_ += n;
  return n > 0;
}

size_t Lines::read_file(char* to, size_t n) {
  const size_t got = file_->read(to, n);
  if (got > 0) return got;
  if (file_->system_error() != 0) throw FileError(name_, "read", file_->system_error());
  if (!file_->problem().empty()) fail(1, file_->problem());
  return got;
}

size_t Lines::read_stream(char* to, size_t n) {
  size_t got = 0;
  try {
    while (got < n) {
      const auto c = stream_->rdbuf()->sbumpc();
      if (c == std::istream::traits_type::eof()) break;
      to[got++] = static_cast<char>(c);
      if (c == '\n') break;
    }
  } catch (const std::ios_base::failure&) {
    fail(1, "cannot be read");
  }
  return got;
}

void Lines::fail(size_t column, const std::string& what) const { FilePosition{name_, number_, column}.fail(what); }

}  // namespace espalier::text
