// Word vectors in text form, plain or gzip: one word and its vector per line, as in GloVe (Pennington et al. 2014),
// optionally after a first line "rows columns", as in word2vec (Mikolov et al. 2013).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/vocabulary.h>

namespace espalier::data::word_vectors {

struct ESPALIER_API Table {
  Vocabulary words;            // the words that were kept, in file order
  int columns = 0;             // elements per vector
  std::vector<float> numbers;  // words.size() × columns
  size_t rows = 0;             // vectors in the file, kept or not
  size_t repeated = 0;         // ignored lines: a kept word occurred before, and its first vector counts

  // The vector of the word; empty: unknown word. lower_case also tries its lower-case form (ASCII letters).
  std::span<const float> find(std::string_view word, bool lower_case = false) const;
};

struct Options {
  const Vocabulary* only = nullptr;  // keeps only these words and their lower-case forms; null: keeps all
};

// Streams the file: memory use depends only on the words kept. Words and values are separated by ASCII whitespace. A
// word may contain blanks, as in GloVe 840B (". . ."): the vector is the last `columns` fields of a line. The first
// line determines `columns`, so the first word must not contain blanks. Values of dropped words are not parsed.
// DataError with file:line:column: a different number of columns, a value that is not a finite number, a number of rows
// that differs from the one in the first line, or damaged gzip data.
ESPALIER_API Table read(const std::string& path, const Options& options = {});

}  // namespace espalier::data::word_vectors
