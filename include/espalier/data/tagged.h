// Sentences with a tag for every word, one sentence per line, such as "Espalier|I-ORG grows|O .|O": the format of
// WikiNER (Nothman et al. 2013). Reads files or generates sentences with the statistics of WikiNER.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/vocabulary.h>
#include <espalier/text/lines.h>

namespace espalier::data::tagged {

struct Token {
  int word = 0, tag = 0;
  bool operator==(const Token&) const = default;
};
using Sentence = std::vector<Token>;

// One sentence per line: word|tag tokens separated by ASCII whitespace, each split at its last |. Empty lines are
// skipped. A valid line adds its words and tags to `words` and `tags`. A token without a word or without a tag is a
// DataError, "train.txt:3:17: …", and its line adds nothing.
ESPALIER_API bool next(Lines&, Sentence&, Vocabulary& words, Vocabulary& tags);
ESPALIER_API std::vector<Sentence> read(Lines, Vocabulary& words, Vocabulary& tags);
inline std::vector<Sentence> read(std::istream& lines, Vocabulary& words, Vocabulary& tags,
                                  std::string_view name = "tagged") {
  return read(Lines(lines, name), words, tags);
}

// Sentences with the lengths, word frequencies, word lengths and number of tags of WikiNER. The same on every platform.
ESPALIER_API std::vector<Sentence> generate(size_t n, uint64_t seed, Vocabulary& words, Vocabulary& tags);

}  // namespace espalier::data::tagged
