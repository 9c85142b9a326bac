#include "task/targets/label_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

namespace espalier::app {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

bool is_missing_number(std::string_view word) {
  return word.empty() || word == "NA" || word == "N/A" || word == "nan" || word == "NaN" || word == "null";
}

std::string label_in(std::string_view text) {
  std::string_view word = trimmed(text);
  std::string_view digits = word.substr(0, word.find('.'));
  const std::string_view fraction = word.substr(std::min(digits.size() + 1, word.size()));
  if (digits.starts_with('-')) digits.remove_prefix(1);
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  const bool is_plain = !digits.empty() && std::ranges::all_of(digits, is_digit) && (digits == "0" || digits[0] != '0');
  if (is_plain && !fraction.empty() && fraction.find_first_not_of('0') == std::string_view::npos)
    word = word.substr(0, word.find('.'));
  return std::string(word);
}

void sort_labels(std::vector<std::string>& labels) {
  std::ranges::sort(labels, {}, [](const std::string& label) {
    const auto value = number_in(label);
    return std::tuple(!value, value.value_or(0), label);
  });
}

}  // namespace espalier::app
