// Conversions of published files to the formats that the tasks read.
#pragma once
#include <espalier/text/lines.h>

#include "data/draft.h"

namespace espalier::app {

// CoNLL-U to one sentence per line: the words, separated by spaces.
void words_of_conllu(text::Lines& from, Draft& to);

// WikiNER, word|part of speech|tag, to word|tag: the first 10,000 sentences. Empty lines are skipped.
void tags_of_wikiner(text::Lines& from, Draft& to);

// One word and its tag per line, with an empty line after each sentence, to word|tag with one sentence per line.
// Sentences that begin with -DOCSTART- are skipped.
void tags_of_conll(text::Lines& from, Draft& to);

}  // namespace espalier::app
