#include "nearest.h"

#include <algorithm>

namespace espalier::app {
namespace {

// Optimal string alignment (Damerau 1964), row by row: at(i, j) are the errors between the first i and j characters.
size_t errors(std::string_view a, std::string_view b) {
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

}  // namespace

std::string nearest(std::string_view given, const std::vector<std::string>& words) {
  std::string found;
  size_t fewest = 3;  // beyond that, a hint is a riddle
  for (const std::string& word : words) {
    const size_t n = errors(given, word);
    if (n < fewest && n < word.size()) {
      fewest = n;
      found = word;
    }
  }
  return found;
}

}  // namespace espalier::app
