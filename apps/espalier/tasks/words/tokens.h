// Splits a line given to predict into words.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::app {

struct Token {
  std::string_view word, tag;  // views of the line
};

// Splits at ASCII white space. DataError "line:1:1: …": there are no words.
std::vector<std::string_view> tokens(std::string_view line);
// Splits each token into a word and a tag, which contains `bars` bars: with 1, the tag of a|b|NOUN|NN is NOUN|NN.
// DataError, with the column: a token has no tag.
std::vector<Token> tagged_tokens(std::string_view line, size_t bars = 0);

}  // namespace espalier::app
