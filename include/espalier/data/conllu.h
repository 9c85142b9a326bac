// Sentences with dependency trees in the CoNLL-U format of Universal Dependencies
// (https://universaldependencies.org/format.html): one word per line, ten tab-separated columns, an empty line after
// each sentence.
#pragma once

#include <string>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/text/lines.h>

namespace espalier::data::conllu {

struct Word {
  std::string form, lemma, upos, xpos, deprel;  // as in the file; _ if unspecified
  int head = 0;                                 // word number from 1; 0: root; -1: unspecified (_)
  bool operator==(const Word&) const = default;
};
using Sentence = std::vector<Word>;  // word i of the file is [i - 1]

// Reads the next sentence; false at the end of the file. Comments, multiword tokens (3-4) and empty nodes (3.1) are
// skipped. Either all heads of a sentence are given and form trees, or none is given (an unparsed sentence). Anything
// else is a DataError with file:line:column.
ESPALIER_API bool next(Lines&, Sentence&);
ESPALIER_API std::vector<Sentence> read(Lines);

// True if no two arcs cross, that is, if every subtree covers a contiguous span of words. O(words).
ESPALIER_API bool is_projective(const Sentence&);

}  // namespace espalier::data::conllu
