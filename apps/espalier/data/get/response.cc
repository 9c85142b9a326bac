#include "data/get/response.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace espalier::app {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return all;
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t found = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return found;
}

}  // namespace

Response::Response(Part& part, std::string label, bool quiet)
    : part_(part), label_(std::move(label)), quiet_(quiet), asked_(part.size()) {}

void Response::add_header(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("HTTP/")) {
    const size_t blank = std::min(line.find(' '), line.size());
    status_ = static_cast<int>(number(trimmed(line.substr(blank)).substr(0, 3)).value_or(0));
    etag_.clear();
    last_modified_.clear();
    length_ = range_begin_ = total_ = {};
    return;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "etag") etag_ = value;
  if (name == "last-modified") last_modified_ = value;
  if (name == "content-length") length_ = number(value);
  if (name == "content-range" && value.starts_with("bytes ")) {  // bytes 100-199/200, or bytes */200
    const std::string_view range = value.substr(6);
    range_begin_ = number(range.substr(0, std::min(range.find('-'), range.size())));
    total_ = number(range.substr(std::min(range.find('/'), range.size() - 1) + 1));
  }
}

// A weak ETag names equivalent files, not equal bytes.
std::string Response::version() const { return !etag_.empty() && !etag_.starts_with("W/") ? etag_ : last_modified_; }

void Response::begin() {
  if (std::exchange(begun_, true) || !is_ok()) return;
  if (status_ == 206) {
    misplaced_ = asked_ == 0 || range_begin_ != asked_;
    if (misplaced_) {
      part_.restart("");
      return;
    }
  } else {
    part_.restart(version());
    total_ = length_;
  }
  if (quiet_) return;
  const train::Progress::Screen screen = train::Progress::standard_error();
  if (!screen.terminal) return;
  progress_.emplace(label_ + ", bytes", static_cast<size_t>(total_.value_or(0)), screen);
  progress_->skip(static_cast<size_t>(part_.size()));
}

void Response::add_body(std::string_view bytes) {
  begin();
  if (!is_ok() || misplaced_) return;
  part_.write(bytes);
  if (progress_) progress_->advance(bytes.size());
}

void Response::finish() {
  begin();
  if (progress_) progress_->finish();
}

bool Response::is_complete() const {
  if (status_ == 416) return asked_ > 0 && total_ == asked_;
  return is_ok() && !misplaced_ && (!total_ || part_.size() == *total_);
}

}  // namespace espalier::app
