#include "printable.h"

#include "base/utf8.h"

namespace espalier::app {
namespace {

// C0, DEL, and C1: U+0080 to U+009F, which are two bytes.
bool is_control(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  return byte(0) < 0x20 || byte(0) == 0x7f || (byte(0) == 0xc2 && byte(1) < 0xa0);
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr size_t longest = 1000;
  std::string shown;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view next = text.substr(0, length > 0 ? length : 1);
    text.remove_prefix(next.size());
    std::string as_shown(next);
    if (length == 0 || is_control(next)) {
      as_shown.clear();
      for (const char c : next) as_shown += hex_code(c);
    }
    if (shown.size() + as_shown.size() > longest) return shown + "…";
    shown += as_shown;
  }
  return shown;
}

}  // namespace espalier::app
