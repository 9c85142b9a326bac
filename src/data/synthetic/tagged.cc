// Generates sentences with the statistics of WikiNER, measured on 1,696 sentences (39,007 words, 8,504 distinct).
#include <array>
#include <string_view>

#include <espalier/data/tagged.h>

#include "data/synthetic/invent.h"
#include "data/synthetic/statistics.h"

namespace espalier::data::tagged {
namespace {

// Words per sentence: mean 23.0. The longest sentence has 144 words; the last quantile is chosen to match the mean.
constexpr Quantiles length({1, 8, 10, 11, 13, 14, 15, 17, 18, 19, 20, 22, 23, 25, 26, 29, 31, 35, 40, 48, 71});

// Bytes of a word that occurs at most 5 times: mean 6.8. Models spell only such words.
constexpr Quantiles letters({1, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 10, 11, 16});

// Of 39,007 words drawn, 8,600 are distinct, and 32 % are words drawn at most 5 times.
constexpr int kinds = 20'000;
constexpr double offset = 1;

// 83.5 % of the words have the first of the 5 tags. The most frequent words are not names; a third of the others are.
constexpr std::array<std::string_view, 5> tag_names{"O", "I-ORG", "I-PER", "I-LOC", "I-MISC"};
constexpr size_t no_names = 100;

std::string_view draw_tag(Draw& draw, size_t rank) {
  return rank < no_names || draw.below(3) > 0 ? tag_names[0] : tag_names[1 + draw.below(tag_names.size() - 1)];
}

}  // namespace

std::vector<Sentence> generate(size_t n, uint64_t seed, Vocabulary& words, Vocabulary& tags) {
  Draw draw(seed);
  const Zipf rank(kinds, offset);
  const std::vector<std::string> spelled = invent_words(kinds, draw, letters);
  std::vector<std::string_view> tag_of;
  for (size_t r = 0; r < spelled.size(); ++r) tag_of.push_back(draw_tag(draw, r));
  std::vector<Sentence> sentences(n);
  for (Sentence& sentence : sentences) {
    const int of = length(draw);
    while (static_cast<int>(sentence.size()) < of) {
      const auto r = static_cast<size_t>(rank(draw));
      const int word = words.add(spelled[r]);
      sentence.push_back({word, tags.add(tag_of[r])});
    }
  }
  return sentences;
}

}  // namespace espalier::data::tagged
