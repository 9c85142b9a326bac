#include <espalier/base/error.h>
#include <espalier/base/file_error.h>
#include <espalier/base/owned.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace espalier {

std::string str(Where at) {
  if (at.line == 0) return {};
  std::string_view file = at.file;
  if (const size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return " (" + std::string(file) + ":" + std::to_string(at.line) + ")";
}

FileError::FileError(std::string file, const char* what, int number)
    : DataError(file + ": cannot be " + what + ": " + std::strerror(number)), path(std::move(file)), code(number) {}

void detail::moved_from(std::string_view who) {
  throw GraphError(std::string(who) + ": it is empty; it was moved from, or its content was taken");
}

std::string Error::path() const {
  if (inner_.empty() && outer_.empty()) return {};
  return "$" + outer_ + (left_out_ > 0 ? "…" : "") + inner_ + ": ";
}
void Error::forget_path() {
  what_.erase(0, path().size());
  outer_.clear();
  inner_.clear();
  left_out_ = 0;
}
void Error::within(std::string_view step) {
  if (step.empty()) return;
  constexpr size_t most = 60;  // characters at each end
  what_.erase(0, path().size());
  if (outer_.empty() && inner_.size() + step.size() <= most) {
    inner_.insert(0, step);
  } else {
    outer_.insert(0, step);
    size_t kept = std::min(outer_.size(), most);
    while (kept < outer_.size() && kept > 0 && (outer_[kept] & 0xC0) == 0x80) --kept;  // not inside a UTF-8 sequence
    left_out_ += outer_.size() - kept;
    outer_.resize(kept);
  }
  what_.insert(0, path());
}

}  // namespace espalier
