// Word vectors as text, plain or gzip: a word and its numbers a line, as GloVe has them (Pennington et al. 2014), or
// with «rows columns» as the first line, as word2vec has them (Mikolov et al. 2013).
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
  Vocabulary words;            // those kept, in the order of the file
  int columns = 0;             // numbers of a vector
  std::vector<float> numbers;  // words.size() × columns
  size_t rows = 0;             // vectors in the file, kept or not
  size_t repeated = 0;         // of the words kept, how often one came again: its first vector counts

  // The vector of the word, or of its lower-case form (ASCII letters) where it has none itself; empty: neither.
  std::span<const float> find(std::string_view word, bool lower_case = false) const;
};

struct Options {
  const Vocabulary* only = nullptr;  // keeps its words, and their lower-case forms; null: keeps all
};

// Reads as a stream: what it takes is what it keeps. Words and numbers stand between ASCII blanks. A word may hold
// blanks, as some of GloVe's 840B do («. . .»): the numbers are the last columns of a line, whose count the first line
// tells, so that the first word may hold none. Numbers of words that are not kept are not looked at. DataError, with
// file:line:column: another count of columns, something that is no finite number, rows that are not as many as the
// first line says, gzip that is broken.
ESPALIER_API Table read(const std::string& path, const Options& options = {});

}  // namespace espalier::data::word_vectors
