// How words of treebanks are written.
#pragma once
#include <string>
#include <string_view>

namespace espalier::app {

// As GloVe writes it: in lower case, without the escapes of treebanks (-LRB- is a parenthesis, \/ a slash).
std::string plain_word(std::string_view word);

// How it is written: in small letters, with a capital first, in capitals, in both, with digits, with neither.
inline constexpr int word_shapes = 6;
int word_shape(std::string_view word);

}  // namespace espalier::app
