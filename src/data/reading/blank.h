// Word separators: ASCII blanks only, since words in published files contain other blanks such as U+00A0.
#pragma once

#include <algorithm>
#include <string_view>

namespace espalier::data {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_blank(c); });
}

}  // namespace espalier::data
