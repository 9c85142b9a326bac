// Words of languages that nobody speaks, to be told apart by their letters: each has syllables of its own kind.
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
  std::string letters;  // one to three words of small letters, a blank between them
  int language = 0;     // its place in the names
  bool operator==(const Text&) const = default;
};

// Example `index` of a seed. The same on every platform.
ESPALIER_API Text draw(uint64_t seed, uint64_t index);
// The examples 0 … n-1.
ESPALIER_API std::vector<Text> generate(size_t n, uint64_t seed);

}  // namespace espalier::data::languages
