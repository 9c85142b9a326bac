// Rare words: in training a word is now and then taken for an unknown one, so that there is something to learn about
// those (Kiperwasser and Goldberg 2016, section 6): with the probability alpha / (alpha + how often it was seen).
#pragma once
#include <vector>

#include <espalier/espalier.h>

namespace espalier::models {

struct RareWords {
  int unknown = 0;
  std::vector<float> share{};  // of each word, how often it is taken for unknown; empty: never

  int operator()(Graph& g, int word) const {
    if (share.empty() || word == unknown || g.mode() == Mode::infer) return word;
    return static_cast<float>(g.random() >> 40) * 0x1p-24f < share[static_cast<size_t>(word)] ? unknown : word;
  }
};

}  // namespace espalier::models
