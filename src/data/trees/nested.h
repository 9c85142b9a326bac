// Nested lists of words, such as ( a ( or b ) ): what the readers of formulas and trees share. Only ASCII blanks and
// parentheses end a word.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/reading/place.h"

namespace espalier::data {

// What a list holds stands before it, the outermost last.
struct Nested {
  struct Node {
    std::string_view word;          // empty: a list
    size_t line = 1, column = 1;    // of the word, or of the list's (
    uint32_t first = 0, count = 0;  // its part of `lists`
    bool is_list() const { return word.empty(); }
  };
  std::vector<Node> nodes;  // none, where the text is blank
  std::vector<uint32_t> lists;

  std::span<const uint32_t> items(const Node& list) const { return {lists.data() + list.first, list.count}; }
};

// One word or list, over any number of lines; `start` is where the text begins. DataError: parentheses that do not
// match, something after the end, an empty list. Nesting is limited by memory alone.
Nested parse_nested(std::string_view text, const Place& start);

}  // namespace espalier::data
