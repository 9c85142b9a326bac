// Trees given as a head for every word.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::data {

// A word that is above itself, if there is one. Words are numbered from 1 by their place; a head that is no word's
// number belongs to a root. O(words).
inline std::optional<size_t> on_a_cycle(const std::vector<int>& heads) {
  const int n = static_cast<int>(heads.size());
  std::vector<int> walk(heads.size(), 0);  // in which a word was met first: each ends where an earlier one has been
  for (int i = 1; i <= n; ++i)
    for (int at = i; at > 0 && at <= n;) {
      int& met = walk[static_cast<size_t>(at) - 1];
      if (met == i) return static_cast<size_t>(at);
      if (met != 0) break;
      met = i;
      at = heads[static_cast<size_t>(at) - 1];
    }
  return {};
}

}  // namespace espalier::data
