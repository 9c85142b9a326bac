// parse_number: parses a text as a number; nullopt unless the whole text is one.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace espalier::data {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace espalier::data
