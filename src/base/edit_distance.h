// edit_distance: the number of typing errors between two words.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace espalier {

// Counts insertions, deletions, substitutions and swaps of neighbouring characters (optimal string alignment, Damerau
// 1964).
inline size_t edit_distance(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> table((a.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> size_t& { return table[i * width + j]; };
  for (size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t best = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      best = std::min({best, at(i - 1, j) + 1, at(i, j - 1) + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = std::min(best, at(i - 2, j - 2) + 1);
      at(i, j) = best;
    }
  }
  return table.back();
}

}  // namespace espalier
