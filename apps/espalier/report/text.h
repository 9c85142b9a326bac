// Formats text and numbers for the page, and escapes HTML.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace espalier::app::report {

// For text between tags and for attributes in double quotes. Keeps line breaks; other control characters become spaces.
std::string escaped(std::string_view text);

// Truncated to `most` characters, the last being "…".
std::string shortened(std::string_view text, size_t most);
// Number of characters of UTF-8 text.
size_t length(std::string_view text);

std::string readable(double number);   // 4 significant digits; "–" for NaN
std::string readable(uint64_t count);  // 10,210
std::string percent(double share);     // 0.125 is 12.5 %
std::string duration(double seconds);  // 59.9 s, 12:07 min, 2:05:07 h

}  // namespace espalier::app::report
