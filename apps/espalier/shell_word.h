// A word of a command that a message suggests.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace espalier::app {

// The text as one word of a shell command, in single quotes if necessary.
inline std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
           std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

}  // namespace espalier::app
