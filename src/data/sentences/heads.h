// on_a_cycle: finds a cycle in a dependency graph that is given as one head per word.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::data {

// Returns a word that is its own ancestor, if any. Words are numbered from 1; a word whose head is outside 1 … n is a
// root. O(words).
inline std::optional<size_t> on_a_cycle(const std::vector<int>& heads) {
  const int n = static_cast<int>(heads.size());
  std::vector<int> visited_from(heads.size(), 0);  // per word: the word whose path visited it first; 0: none
  for (int i = 1; i <= n; ++i)
    for (int at = i; at > 0 && at <= n;) {
      int& met = visited_from[static_cast<size_t>(at) - 1];
      if (met == i) return static_cast<size_t>(at);
      if (met != 0) break;
      met = i;
      at = heads[static_cast<size_t>(at) - 1];
    }
  return {};
}

}  // namespace espalier::data
