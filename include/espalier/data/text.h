// Plain text, one sentence per line. Reads files or generates sentences with the statistics of a corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/vocabulary.h>
#include <espalier/text/lines.h>

namespace espalier::data::text {

using Sentence = std::vector<int>;  // word indices

// Words are separated by ASCII whitespace and are added to `words`; empty lines are skipped.
ESPALIER_API bool next(Lines&, Sentence&, Vocabulary& words);
ESPALIER_API std::vector<Sentence> read(Lines, Vocabulary& words);
ESPALIER_API Sentence parse(std::string_view line, Vocabulary& words);

// Sentences with the lengths and word frequencies of the English Web Treebank. The same on every platform.
ESPALIER_API std::vector<Sentence> generate(size_t n, uint64_t seed, Vocabulary& words);

}  // namespace espalier::data::text
