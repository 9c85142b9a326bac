#include "io/header.h"

#include <fmt/core.h>

namespace espalier::io {
namespace {

// The length of the UTF-8 sequence at the start of s; 0 if it is invalid.
size_t sequence(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const size_t n = byte(0) < 0x80   ? 1
                   : byte(0) < 0xc2 ? 0
                   : byte(0) < 0xe0 ? 2
                   : byte(0) < 0xf0 ? 3
                   : byte(0) < 0xf5 ? 4
                                    : 0;
  if (n > s.size()) return 0;
  for (size_t i = 1; i < n; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  return n;
}

}  // namespace

std::string quote(std::string_view name) {
  constexpr size_t longest = 80;
  std::string text = "'";
  while (!name.empty()) {
    if (text.size() > longest) return text + "…'";
    const size_t n = sequence(name);
    const auto byte = static_cast<unsigned char>(name[0]);
    if (n == 0 || byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
      name.remove_prefix(1);
    } else {
      text += name.substr(0, n);
      name.remove_prefix(n);
    }
  }
  return text + "'";
}

}  // namespace espalier::io
