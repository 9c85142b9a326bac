#include <espalier/data/tagged.h>

#include <utility>

#include "data/reading/all.h"
#include "data/reading/words.h"
#include "text/file_position.h"

namespace espalier::data::tagged {

bool next(Lines& lines, Sentence& sentence, Vocabulary& words, Vocabulary& tags) {
  sentence.clear();
  std::vector<std::pair<std::string_view, std::string_view>> found;
  while (found.empty() && lines.next())
    for (Words token(lines.line()); token.next();) {
      const std::string_view text = token.word();
      const auto fail = [&](const char* what) { lines.fail(token.column(), quoted(text) + what); };
      const size_t bar = text.rfind('|');
      if (bar == std::string_view::npos) fail(" has no tag; expected word|tag");
      if (bar == 0) fail(" has no word; expected word|tag");
      if (bar + 1 == text.size()) fail(" has an empty tag; expected word|tag");
      found.emplace_back(text.substr(0, bar), text.substr(bar + 1));
    }
  for (const auto& [word, tag] : found) sentence.push_back({words.add(word), tags.add(tag)});
  return !found.empty();
}

std::vector<Sentence> read(Lines lines, Vocabulary& words, Vocabulary& tags) {
  return all_of<Sentence>([&](Sentence& sentence) { return next(lines, sentence, words, tags); });
}

}  // namespace espalier::data::tagged
