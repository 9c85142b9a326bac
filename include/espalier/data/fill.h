// Copies pretrained word vectors into a lookup table.
#pragma once

#include <espalier/base/export.h>
#include <espalier/data/word_vectors.h>
#include <espalier/param/parameter.h>

namespace espalier::data {

struct Filled {
  int words = 0;       // words with a vector
  int lower_case = 0;  // of these, words found only by their lower-case form
};

// Sets row i of the table to the vector of word i; rows of words without a vector are unchanged. With lower_case, a
// word without a vector gets the vector of its lower-case form. ShapeError, before any change, unless the table has a
// row of vectors.columns elements for each word.
//   words = Embedding(p / "words", vocabulary.size(), 300);
//   fill(words.weight, vocabulary, data::word_vectors::read("glove.6B.300d.txt.gz", {&vocabulary}), true);
ESPALIER_API Filled fill(Lookup table, const Vocabulary& words, const word_vectors::Table& vectors,
                         bool lower_case = false);

}  // namespace espalier::data
