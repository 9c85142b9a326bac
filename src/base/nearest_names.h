// nearest_names: the known names that resemble an unknown one, for error messages.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/edit_distance.h"

namespace espalier {

// "'a', 'b'": the five names with the smallest edit distance, nearest first; all names in their order if there are at
// most five.
inline std::string nearest_names(std::string_view given, const std::vector<std::string>& names) {
  constexpr size_t most = 5;
  std::vector<std::pair<size_t, size_t>> near;  // distance, position
  for (size_t i = 0; i < names.size(); ++i)
    near.emplace_back(names.size() > most ? edit_distance(given, names[i]) : 0, i);
  std::ranges::sort(near);
  std::string list;
  for (size_t i = 0; i < std::min(most, near.size()); ++i)
    list += (list.empty() ? "'" : ", '") + names[near[i].second] + "'";
  return list;
}

}  // namespace espalier
