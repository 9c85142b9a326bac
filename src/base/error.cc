#include <espalier/base/error.h>

#include <string_view>

namespace espalier {

std::string str(Where at) {
  if (at.line == 0) return {};
  std::string_view file = at.file;
  if (const size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return " (" + std::string(file) + ":" + std::to_string(at.line) + ")";
}

void Error::within(std::string_view step) {
  if (step.empty()) return;
  constexpr size_t most = 60;  // characters at each end
  auto path = [&] {
    if (inner_.empty() && outer_.empty()) return std::string();
    return "$" + outer_ + (left_out_ > 0 ? "…" : "") + inner_ + ": ";
  };
  what_.erase(0, path().size());
  if (outer_.empty() && inner_.size() + step.size() <= most) {
    inner_.insert(0, step);
  } else {
    outer_.insert(0, step);
    if (outer_.size() > most) {
      left_out_ += outer_.size() - most;
      outer_.resize(most);
    }
  }
  what_.insert(0, path());
}

}  // namespace espalier
