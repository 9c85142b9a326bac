// Validation of UTF-8, and an escape for invalid bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace espalier {

// The length of the well-formed UTF-8 sequence at the start of s; 0 if it is invalid (Unicode 15, table 3-7).
inline size_t utf8_length(std::string_view s) {
  const auto in = [&](size_t i, unsigned low, unsigned high) {
    return i < s.size() && static_cast<unsigned char>(s[i]) >= low && static_cast<unsigned char>(s[i]) <= high;
  };
  const auto tail = [&](size_t i) { return in(i, 0x80, 0xbf); };
  if (in(0, 0x00, 0x7f)) return 1;
  if (in(0, 0xc2, 0xdf)) return tail(1) ? 2 : 0;
  if (in(0, 0xe0, 0xef)) {
    const bool second = in(0, 0xe0, 0xe0) ? in(1, 0xa0, 0xbf) : in(0, 0xed, 0xed) ? in(1, 0x80, 0x9f) : tail(1);
    return second && tail(2) ? 3 : 0;
  }
  if (in(0, 0xf0, 0xf4)) {
    const bool second = in(0, 0xf0, 0xf0) ? in(1, 0x90, 0xbf) : in(0, 0xf4, 0xf4) ? in(1, 0x80, 0x8f) : tail(1);
    return second && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

inline constexpr std::string_view hex_digits = "0123456789abcdef";

// \xNN
inline std::string hex_code(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'x', hex_digits[byte >> 4], hex_digits[byte & 15]};
}

}  // namespace espalier
