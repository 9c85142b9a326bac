// Word vectors into a lookup table.
#pragma once

#include <espalier/base/export.h>
#include <espalier/data/word_vectors.h>
#include <espalier/param/parameter.h>

namespace espalier::train {

struct Filled {
  int words = 0;       // that got a vector
  int lower_case = 0;  // of these, by their lower-case form alone
};

// Row i of the table becomes the vector of word i; rows without one stay as they are. With lower_case, a word that has
// no vector takes that of its lower-case form. ShapeError, and nothing is changed, unless rows are [columns] and there
// is one for each word.
//   words = Embedding(p / "words", vocabulary.size(), 300);
//   fill(words.weight, vocabulary, data::word_vectors::read("glove.6B.300d.txt.gz", {&vocabulary}), true);
ESPALIER_API Filled fill(Lookup table, const data::Vocabulary& words, const data::word_vectors::Table& vectors,
                         bool lower_case = false);

}  // namespace espalier::train
