#include "data/trees/nested.h"

#include "data/reading/blank.h"

namespace espalier::data {
namespace {

constexpr size_t longest_tree = size_t{1} << 26;  // in bytes

bool ends_word(char c) { return is_blank(c) || c == '\n' || c == '(' || c == ')'; }

}  // namespace

Nested parse_nested(std::string_view text, const FilePosition& start) {
  struct Open {
    FilePosition at;
    size_t ready;  // index of its first item in the vector `ready`
  };
  Nested made;
  std::vector<Open> open;
  std::vector<uint32_t> ready;  // nodes without a parent yet
  FilePosition at = start;
  const auto add = [&](const Nested::Node& node) {
    ready.push_back(static_cast<uint32_t>(made.nodes.size()));
    made.nodes.push_back(node);
  };
  const auto close = [&] {
    if (open.empty()) at.fail("')' without a '('");
    const Open list = open.back();
    open.pop_back();
    if (ready.size() == list.ready) at.fail("the list is empty; expected a word or a list between ( and )");
    const auto first = static_cast<uint32_t>(made.lists.size());
    made.lists.insert(made.lists.end(), ready.begin() + static_cast<std::ptrdiff_t>(list.ready), ready.end());
    ready.resize(list.ready);
    add({{}, list.at.line, list.at.column, first, static_cast<uint32_t>(made.lists.size()) - first});
  };
  for (size_t i = 0, end; i < text.size(); at.column += end - i, i = end) {
    const char c = text[i];
    end = i + 1;
    if (!ends_word(c))
      while (end < text.size() && !ends_word(text[end])) ++end;
    if (c == '\n') {
      ++at.line;
      at.column = 0;  // incremented below for the line end
    } else if (c == ')') {
      close();
    } else if (!is_blank(c)) {
      const std::string_view word = text.substr(i, end - i);
      if (open.empty() && !ready.empty()) at.fail(quoted(word) + " after the end; expected the end of the text");
      if (c == '(') {
        open.push_back({at, ready.size()});
      } else {
        add({word, at.line, at.column});
      }
    }
  }
  if (!open.empty())
    at.fail("the text ends inside the '(' at column " + std::to_string(open.back().at.column) + "; expected )");
  return made;
}

std::string take_nested(Lines& lines) {
  const size_t first = lines.number();
  std::string text;
  for (ptrdiff_t depth = 0;;) {
    for (const char c : lines.line()) depth += (c == '(') - (c == ')');
    text += lines.line();
    if (depth <= 0) return text;
    if (text.size() > longest_tree) lines.fail(1, "the tree is longer than " + std::to_string(longest_tree) + " bytes");
    text += '\n';
    if (!lines.next()) lines.fail(1, "the file ends inside the tree that begins in line " + std::to_string(first));
  }
}

}  // namespace espalier::data
