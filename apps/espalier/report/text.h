// Texts and numbers as people read them on a page, and safe to stand in HTML.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace espalier::app::report {

// For text between tags and for attributes in double quotes. Line breaks stay, other control characters are blanks.
std::string escaped(std::string_view text);

// At most `most` characters; the rest is "…".
std::string shortened(std::string_view text, size_t most);
// How many characters a text of UTF-8 has.
size_t length(std::string_view text);

std::string readable(double number);   // 4 digits that count; "–" for NaN
std::string readable(uint64_t count);  // 10,210
std::string percent(double share);     // 0.125 is 12.5 %
std::string duration(double seconds);  // 59.9 s, 12:07 min, 2:05:07 h

}  // namespace espalier::app::report
