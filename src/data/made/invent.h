// Words that nobody knows.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "data/made/statistics.h"

namespace espalier::data {

// n different words of small letters, of the lengths given.
inline std::vector<std::string> invent_words(int n, Draw& draw, const Quantiles& letters) {
  std::vector<std::string> words;
  std::unordered_set<std::string> known;
  while (static_cast<int>(words.size()) < n) {
    std::string word(static_cast<size_t>(letters(draw)), ' ');
    for (char& c : word) c = static_cast<char>('a' + draw.below(26));
    if (known.insert(word).second) words.push_back(std::move(word));
  }
  return words;
}

}  // namespace espalier::data
