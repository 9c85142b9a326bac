// Parses nested lists of words such as ( a ( or b ) ). Shared by the readers of formulas and trees. Only ASCII
// whitespace and parentheses end a word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/text/lines.h>

#include "text/file_position.h"

namespace espalier::data {

// Items precede their list; the outermost list is the last node.
struct Nested {
  struct Node {
    std::string_view word;          // empty: a list
    size_t line = 1, column = 1;    // position of the word, or of the list's (
    uint32_t first = 0, count = 0;  // range of its items in `lists`
    bool is_list() const { return word.empty(); }
  };
  std::vector<Node> nodes;  // empty if the text is blank
  std::vector<uint32_t> lists;

  std::span<const uint32_t> items(const Node& list) const { return {lists.data() + list.first, list.count}; }
};

// Parses one word or list, which may span several lines; `start` is the position of the text. DataError: unmatched
// parentheses, text after the end, or an empty list. Only memory limits the nesting depth.
Nested parse_nested(std::string_view text, const FilePosition& start);

// The current line and the lines after it, up to the one that closes the first parenthesis. DataError: the file ends
// before, or the text is too long.
std::string take_nested(Lines& lines);

}  // namespace espalier::data
