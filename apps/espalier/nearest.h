// Suggestions for misspelt words.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace espalier::app {

// The word with the smallest edit distance to `given`, the first of several; empty if none is close. An edit replaces,
// inserts or deletes one character, or swaps two neighbours.
std::string nearest(std::string_view given, const std::vector<std::string>& words);

}  // namespace espalier::app
