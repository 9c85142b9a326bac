// Labels as users write them: numbers or words.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace espalier::app {

// The value of a finite number, in any locale; nullopt: the text is something else.
inline std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

// Numbers by value, before other labels by name.
inline void sort_labels(std::vector<std::string>& labels) {
  std::ranges::sort(labels, {}, [](const std::string& label) {
    const auto value = number_in(label);
    return std::tuple(!value, value.value_or(0), label);
  });
}

}  // namespace espalier::app
