// Spelling of words in treebanks.
#pragma once
#include <string>
#include <string_view>

namespace espalier::app {

// The spelling used by GloVe: lower case, without treebank escapes (-LRB- is a parenthesis, \/ a slash).
std::string plain_word(std::string_view word);

// The case of a word: 0: lower, 1: capitalised, 2: upper, 3: mixed, 4: with digits, 5: without letters and digits.
inline constexpr int word_shapes = 6;
int word_shape(std::string_view word);

}  // namespace espalier::app
