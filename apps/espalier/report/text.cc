#include "report/text.h"

#include <cmath>

#include <fmt/format.h>

namespace espalier::app::report {
namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '\n':
        result += '\n';
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
  }
  return result;
}

size_t length(std::string_view text) {
  size_t characters = 0;
  for (const char c : text) characters += begins_character(c);
  return characters;
}

std::string shortened(std::string_view text, size_t most) {
  if (length(text) <= most) return std::string(text);
  size_t end = 0;
  for (size_t characters = 0; end < text.size(); ++end)
    if (begins_character(text[end]) && ++characters == most) break;
  return std::string(text.substr(0, end)) + "…";
}

std::string readable(double number) {
  if (std::isnan(number)) return "–";
  if (number == 0) return "0";
  const double size = std::abs(number);
  if (size >= 1e6 || size < 1e-4) return fmt::format("{:.3g}", number);
  if (size >= 1000) return fmt::format("{:.0f}", number);
  return fmt::format("{:.4g}", number);
}

std::string readable(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string duration(double seconds) {
  if (std::isnan(seconds)) return "–";
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace espalier::app::report
