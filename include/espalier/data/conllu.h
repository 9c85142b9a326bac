// Sentences with their dependency trees in the CoNLL-U format of Universal Dependencies
// (https://universaldependencies.org/format.html): a word a line, ten columns between tabs, an empty line after each
// sentence.
#pragma once

#include <string>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/lines.h>

namespace espalier::data::conllu {

struct Word {
  std::string form, lemma, upos, xpos, deprel;  // as in the file: _ where it says nothing
  int head = 0;                                 // the number of a word, from 1; 0 for a root; -1 where it says _
  bool operator==(const Word&) const = default;
};
using Sentence = std::vector<Word>;  // word i of the file is [i - 1]

// The next sentence, if there is one. Comments, lines of several words (3-4) and empty nodes (3.1) are skipped. Either
// all heads of a sentence are given, and make up trees, or none is: it is still to be parsed. Anything else is a
// DataError with file:line:column.
ESPALIER_API bool next(Lines&, Sentence&);
ESPALIER_API std::vector<Sentence> read(Lines);

// Whether every word and all that hangs on it are neighbours, so that no two arcs cross. O(words).
ESPALIER_API bool is_projective(const Sentence&);

}  // namespace espalier::data::conllu
