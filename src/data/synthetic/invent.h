// invent_words: random words.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "data/synthetic/statistics.h"

namespace espalier::data {

// n distinct lower-case words; `letters` is the distribution of their lengths.
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
