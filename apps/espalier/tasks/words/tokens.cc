#include "tasks/words/tokens.h"

#include <fmt/format.h>
#include <espalier/base/error.h>

namespace espalier::app {

std::vector<std::string_view> tokens(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  std::vector<std::string_view> found;
  for (size_t begin = 0; (begin = line.find_first_not_of(blanks, begin)) != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    found.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  if (found.empty()) throw DataError("line:1:1: empty line; needed words separated by spaces");
  return found;
}

std::vector<Token> tagged_tokens(std::string_view line, size_t bars) {
  std::vector<Token> found;
  for (const std::string_view token : tokens(line)) {
    size_t bar = token.size();
    for (size_t k = 0; k <= bars && bar != 0 && bar != std::string_view::npos; ++k) bar = token.rfind('|', bar - 1);
    if (bar == 0 || bar == std::string_view::npos || bar + 1 == token.size())
      throw DataError(fmt::format("line:1:{}: '{}' has no tag; needed {}", token.data() - line.data() + 1, token,
                                  bars == 0 ? "word|tag" : "word|tag|tag"));
    found.push_back({token.substr(0, bar), token.substr(bar + 1)});
  }
  return found;
}

}  // namespace espalier::app
