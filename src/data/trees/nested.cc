#include "data/trees/nested.h"

#include "data/reading/blank.h"

namespace espalier::data {
namespace {
bool ends_word(char c) { return is_blank(c) || c == '(' || c == ')'; }
}  // namespace

Nested parse_nested(std::string_view text, const Place& start) {
  struct Open {
    size_t column, ready;  // its items are ready[…]
  };
  Nested made;
  std::vector<Open> open;
  std::vector<uint32_t> ready;  // nodes that no list has taken yet
  Place at = start;
  const auto add = [&](const Nested::Node& node) {
    ready.push_back(static_cast<uint32_t>(made.nodes.size()));
    made.nodes.push_back(node);
  };
  for (size_t i = 0, end; i < text.size(); i = end) {
    at.column = start.column + i;
    end = i + 1;
    if (is_blank(text[i])) continue;
    if (text[i] == ')') {
      if (open.empty()) at.fail("')' without a '('");
      const Open list = open.back();
      open.pop_back();
      if (ready.size() == list.ready) at.fail("an empty list; needed something between ( and )");
      const auto first = static_cast<uint32_t>(made.lists.size());
      made.lists.insert(made.lists.end(), ready.begin() + static_cast<std::ptrdiff_t>(list.ready), ready.end());
      ready.resize(list.ready);
      add({{}, list.column, first, static_cast<uint32_t>(made.lists.size()) - first});
      continue;
    }
    if (open.empty() && !ready.empty()) {
      while (end < text.size() && !ends_word(text[end]) && text[i] != '(') ++end;
      at.fail(quoted(text.substr(i, end - i)) + " after the end; needed nothing more");
    }
    if (text[i] == '(') {
      open.push_back({at.column, ready.size()});
      continue;
    }
    while (end < text.size() && !ends_word(text[end])) ++end;
    add({text.substr(i, end - i), at.column});
  }
  at.column = start.column + text.size();
  if (!open.empty()) at.fail("the text ends inside '(' of column " + std::to_string(open.back().column) + "; needed )");
  return made;
}

}  // namespace espalier::data
