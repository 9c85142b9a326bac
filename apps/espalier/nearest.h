// Which word somebody meant.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace espalier::app {

// The word with the fewest typing errors from `given`, the first of several; empty if none is near. An error is one
// character wrong, missing or too many, or two swapped.
std::string nearest(std::string_view given, const std::vector<std::string>& words);

}  // namespace espalier::app
