#include "data/convert.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <espalier/data/conllu.h>

namespace espalier::app {

void words_of_conllu(text::Lines& from, Draft& to) {
  for (data::conllu::Sentence sentence; data::conllu::next(from, sentence);) {
    std::string line;
    for (const data::conllu::Word& word : sentence) line += (line.empty() ? "" : " ") + word.form;
    to.write(line + "\n");
  }
}

void tags_of_wikiner(text::Lines& from, Draft& to) {
  constexpr size_t sentences = 10'000;
  for (size_t written = 0; written < sentences && from.next();) {
    const std::string_view given = from.line();
    std::string line;
    for (size_t begin = 0, end = 0; begin < given.size(); begin = end + 1) {
      end = std::min(given.find(' ', begin), given.size());
      const std::string_view token = given.substr(begin, end - begin);
      if (token.empty()) continue;
      const size_t tag = token.rfind('|'), speech = tag == 0 ? tag : token.rfind('|', tag - 1);
      if (tag == std::string_view::npos || speech == std::string_view::npos || speech == 0 || tag == 0)
        from.fail(begin + 1, "'" + std::string(token) + "' is not a token; expected word|part of speech|tag");
      line += (line.empty() ? "" : " ") + std::string(token.substr(0, speech)) + std::string(token.substr(tag));
    }
    if (line.empty()) continue;
    to.write(line + "\n");
    ++written;
  }
}

void tags_of_conll(text::Lines& from, Draft& to) {
  std::string line;
  const auto finish = [&] {
    if (!line.empty() && !line.starts_with("-DOCSTART-")) to.write(line + "\n");
    line.clear();
  };
  while (from.next()) {
    const std::string_view given = from.line();
    if (given.empty()) {
      finish();
      continue;
    }
    const size_t blank = given.rfind(' ');
    if (blank == std::string_view::npos || blank == 0 || blank + 1 == given.size())
      from.fail(1, "'" + std::string(given) + "' is not a word and its tag, separated by a space");
    line +=
        (line.empty() ? "" : " ") + std::string(given.substr(0, blank)) + "|" + std::string(given.substr(blank + 1));
  }
  finish();
}

}  // namespace espalier::app
