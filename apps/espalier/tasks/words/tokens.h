// Tokens: the words of a line that is given to predict.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::app {

struct Token {
  std::string_view word, tag;  // views of the line
};

// What stands between ASCII blanks, at least one. DataError: "line:1:1: …".
std::vector<std::string_view> tokens(std::string_view line);
// Each a word and its tag, which has `bars` bars in it: with 1, of «a|b|NOUN|NN» the tag is NOUN|NN. DataError, with
// the column: one has none.
std::vector<Token> tagged_tokens(std::string_view line, size_t bars = 0);

}  // namespace espalier::app
