#include <espalier/data/synthetic/languages.h>

#include "base/draw.h"

namespace espalier::data::languages {
namespace {

// The onsets, vowels and codas of the syllables of a language. A dot is an empty onset or coda.
struct Syllables {
  std::string_view begin, vowel, end;  // choices, separated by blanks
};
constexpr std::array<Syllables, count> syllables{{
    {"k l m n s t", "a e i o u", "."},
    {".", "a e i o u", "k l m n s t"},
    {"kt sn ml st kl tm", "a e i o u", "."},
    {"k l m n s t", "aa oo ai eu ia", "."},
    {"str st tr sl kr m n", "e i o", "ndt lk st nt ."},
    {"ny r n m l .", "au i a ua u", ". r n"},
}};

std::string_view pick(Draw& draw, std::string_view choices) {
  uint64_t n = 1;
  for (const char c : choices) n += c == ' ';
  for (uint64_t left = draw.below(n); left > 0; --left) choices.remove_prefix(choices.find(' ') + 1);
  choices = choices.substr(0, choices.find(' '));
  return choices == "." ? std::string_view{} : choices;
}

}  // namespace

Text draw(uint64_t seed, uint64_t index) {
  Draw draw(seed, index);
  Text text{"", static_cast<int>(draw.below(count))};
  const Syllables& of = syllables[static_cast<size_t>(text.language)];
  for (uint64_t words = 1 + draw.below(3); words > 0; --words) {
    if (!text.letters.empty()) text.letters += ' ';
    for (uint64_t n = 2 + draw.below(3); n > 0; --n)
      for (const std::string_view choices : {of.begin, of.vowel, of.end}) text.letters += pick(draw, choices);
  }
  return text;
}

std::vector<Text> generate(size_t n, uint64_t seed) {
  std::vector<Text> made;
  made.reserve(n);
  while (made.size() < n) made.push_back(draw(seed, made.size()));
  return made;
}

}  // namespace espalier::data::languages
