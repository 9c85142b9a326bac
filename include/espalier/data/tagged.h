// Sentences with a tag at every word, one a line, such as «Espalier|I-ORG grows|O .|O»: the form of WikiNER (Nothman et
// al. 2013). Read from files, or generated with the statistics of WikiNER.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

#include <espalier/base/export.h>
#include <espalier/data/lines.h>
#include <espalier/data/vocabulary.h>

namespace espalier::data::tagged {

struct Token {
  int word = 0, tag = 0;
  bool operator==(const Token&) const = default;
};
using Sentence = std::vector<Token>;

// One sentence a line, word|tag between ASCII blanks; the last | of a token divides it. Empty lines are skipped. Words
// and tags are added to `words` and `tags`. A token without both is a DataError: "train.txt:3:17: …".
// A refused line adds none.
ESPALIER_API bool next(Lines&, Sentence&, Vocabulary& words, Vocabulary& tags);
ESPALIER_API std::vector<Sentence> read(Lines, Vocabulary& words, Vocabulary& tags);
inline std::vector<Sentence> read(std::istream& lines, Vocabulary& words, Vocabulary& tags,
                                  std::string_view name = "tagged") {
  return read(Lines(lines, name), words, tags);
}

// Sentences with the lengths, word frequencies, word lengths and number of tags of WikiNER. The same on every platform.
ESPALIER_API std::vector<Sentence> generate(size_t n, uint64_t seed, Vocabulary& words, Vocabulary& tags);

}  // namespace espalier::data::tagged
