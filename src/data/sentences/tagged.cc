#include <espalier/data/tagged.h>

#include <istream>
#include <string>

#include "data/reading/place.h"
#include "data/reading/words.h"

namespace espalier::data::tagged {

std::vector<Sentence> read(std::istream& lines, Vocabulary& words, Vocabulary& tags, std::string_view name) {
  std::vector<Sentence> sentences;
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    Sentence sentence;
    for (Words token(line); token.next();) {
      const Place place{name, number, token.column()};
      const std::string_view text = token.word();
      const size_t bar = text.rfind('|');
      if (bar == std::string_view::npos) place.fail(quoted(text) + " has no tag; needed word|tag");
      if (bar == 0) place.fail(quoted(text) + " has no word; needed word|tag");
      if (bar + 1 == text.size()) place.fail(quoted(text) + " has an empty tag; needed word|tag");
      const int word = words.add(text.substr(0, bar));
      sentence.push_back({word, tags.add(text.substr(bar + 1))});
    }
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace espalier::data::tagged
