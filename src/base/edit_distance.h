// edit_distance: how many typing errors lie between two words.
#pragma once
#include <cstddef>
#include <string_view>

namespace espalier {

// Letters put in, left out, exchanged for another, or swapped with a neighbour (optimal string alignment, Damerau
// 1964).
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace espalier
