// Word dropout for rare words: in training, a word becomes the unknown word with probability alpha / (alpha + count),
// so the model learns a row for unknown words (Kiperwasser and Goldberg 2016, section 6).
#pragma once
#include <vector>

#include <espalier/espalier.h>

namespace espalier::models {

struct RareWords {
  int unknown = 0;
  std::vector<float> share{};  // probability of replacing each word; empty: never

  int operator()(Graph& g, int word) const {
    if (share.empty() || word == unknown || g.mode() == Mode::infer) return word;
    return static_cast<float>(g.random() >> 40) * 0x1p-24f < share[static_cast<size_t>(word)] ? unknown : word;
  }
};

}  // namespace espalier::models
