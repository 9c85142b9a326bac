#include <espalier/data/text.h>

#include <string>

#include "data/reading/all.h"
#include "data/reading/words.h"
#include "data/synthetic/invent.h"
#include "data/synthetic/statistics.h"

namespace espalier::data::text {
namespace {

// Measured on the training set of the English Web Treebank: 12,544 sentences, 204,577 words, 19,674 distinct words.
// Words per sentence: mean 16.3. The longest sentence has 159 words; the last quantile is chosen to match the mean.
constexpr Quantiles length({1, 2, 3, 4, 6, 7, 9, 10, 11, 13, 14, 15, 17, 19, 20, 22, 25, 28, 32, 39, 59});
constexpr Quantiles letters({1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 9, 10, 14});
constexpr int kinds = 24'000;
constexpr double offset = 1;

}  // namespace

Sentence parse(std::string_view line, Vocabulary& words) {
  Sentence sentence;
  for (Words word(line); word.next();) sentence.push_back(words.add(word.word()));
  return sentence;
}

bool next(Lines& lines, Sentence& sentence, Vocabulary& words) {
  while (lines.next())
    if (sentence = parse(lines.line(), words); !sentence.empty()) return true;
  return false;
}

std::vector<Sentence> read(Lines lines, Vocabulary& words) {
  return all_of<Sentence>([&](Sentence& sentence) { return next(lines, sentence, words); });
}

std::vector<Sentence> generate(size_t n, uint64_t seed, Vocabulary& words) {
  Draw draw(seed);
  const Zipf rank(kinds, offset);
  const std::vector<std::string> spelled = invent_words(kinds, draw, letters);
  std::vector<Sentence> sentences(n);
  for (Sentence& sentence : sentences) {
    const int of = length(draw);
    while (static_cast<int>(sentence.size()) < of)
      sentence.push_back(words.add(spelled[static_cast<size_t>(rank(draw))]));
  }
  return sentences;
}

}  // namespace espalier::data::text
