// Known words: the vocabulary of the training set, followed by one number for all unknown words.
#pragma once
#include <string_view>

#include <espalier/data/vocabulary.h>
#include <espalier/espalier.h>

#include "models/rare_words.h"
#include "tasks/words/spelling.h"

namespace espalier::app {

inline int number_of(const data::Vocabulary& words, std::string_view word) {
  const int known = words.find(word);
  return known >= 0 ? known : words.size();
}

// Adds the words of a treebank in plain spelling, with their counts.
inline void add_plain_words(data::Vocabulary& words, const data::Vocabulary& met) {
  for (int w = 0; w < met.size(); ++w) words.add(plain_word(met.word(w)), met.count(w));
}

// The probability of replacing each word by the unknown one in training: alpha / (alpha + count); alpha 0: never.
inline models::RareWords rare_words(const data::Vocabulary& words, double alpha) {
  models::RareWords rare{.unknown = words.size()};
  for (int w = 0; w < words.size(); ++w)
    rare.share.push_back(static_cast<float>(alpha / (alpha + static_cast<double>(words.count(w)))));
  if (alpha == 0) rare.share.clear();
  return rare;
}

}  // namespace espalier::app
