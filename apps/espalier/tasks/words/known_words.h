// Known words: those of the training set, and behind them one number for all others.
#pragma once
#include <string_view>

#include <espalier/espalier.h>

#include "models/rare_words.h"
#include "tasks/words/spelling.h"

namespace espalier::app {

inline int number_of(const data::Vocabulary& words, std::string_view word) {
  const int known = words.find(word);
  return known >= 0 ? known : words.size();
}

// Adds the words of a treebank as plain ones, as often as they were met.
inline void add_plain_words(data::Vocabulary& words, const data::Vocabulary& met) {
  for (int w = 0; w < met.size(); ++w) words.add(plain_word(met.word(w)), met.count(w));
}

// How often each is taken for an unknown one in training; alpha 0: never.
inline models::RareWords rare_words(const data::Vocabulary& words, double alpha) {
  models::RareWords rare{.unknown = words.size()};
  for (int w = 0; w < words.size(); ++w)
    rare.share.push_back(static_cast<float>(alpha / (alpha + static_cast<double>(words.count(w)))));
  if (alpha == 0) rare.share.clear();
  return rare;
}

}  // namespace espalier::app
