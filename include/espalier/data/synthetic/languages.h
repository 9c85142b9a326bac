// Words of invented languages for language identification: each language has its own syllable structure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data::languages {

inline constexpr int count = 6;
inline constexpr std::array<std::string_view, count> names{"Kalosi", "Akolis", "Ktasno", "Kaaloo", "Strendt", "Nyauri"};

struct Text {
  std::string letters;  // one to three lower-case words separated by blanks
  int language = 0;     // index into names
  bool operator==(const Text&) const = default;
};

// Example `index` of this seed; the same on every platform.
ESPALIER_API Text draw(uint64_t seed, uint64_t index);
// Examples 0 … n-1.
ESPALIER_API std::vector<Text> generate(size_t n, uint64_t seed);

}  // namespace espalier::data::languages
