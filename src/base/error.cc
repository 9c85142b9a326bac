#include <espalier/base/error.h>

#include <string_view>

namespace espalier {

std::string str(Where at) {
  if (at.line == 0) return {};
  std::string_view file = at.file;
  if (const size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return " (" + std::string(file) + ":" + std::to_string(at.line) + ")";
}

}  // namespace espalier
