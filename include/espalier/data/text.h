// Plain text, one sentence a line, words between blanks. Read from files, or generated with the statistics of a corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/lines.h>
#include <espalier/data/vocabulary.h>

namespace espalier::data::text {

using Sentence = std::vector<int>;  // numbers of words

// Words stand between ASCII blanks and are added to `words`; empty lines are skipped.
ESPALIER_API bool next(Lines&, Sentence&, Vocabulary& words);
ESPALIER_API std::vector<Sentence> read(Lines, Vocabulary& words);
ESPALIER_API Sentence parse(std::string_view line, Vocabulary& words);

// Sentences with the lengths and word frequencies of the English Web Treebank. The same on every platform.
ESPALIER_API std::vector<Sentence> generate(size_t n, uint64_t seed, Vocabulary& words);

}  // namespace espalier::data::text
