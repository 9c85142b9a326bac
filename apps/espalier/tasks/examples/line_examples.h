// Reads examples that occupy one line: from a file, or a single line given to predict.
#pragma once
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/error.h>
#include <espalier/text/lines.h>

namespace espalier::app {

inline bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// Calls read(lines) for every non-blank line of a file. `read` reports errors with data::Lines::fail.
template <class Example, class Read>
std::vector<Example> line_examples(const std::string& path, Read read) {
  data::Lines lines(path);
  std::vector<Example> all;
  while (lines.next())
    if (!is_blank(lines.line())) all.push_back(read(lines));
  return all;
}

// Parses one line with next(lines, example), a function like the readers of component `data`. `needed` describes the
// format in the error for a blank line.
template <class Example, class Next>
Example next_example(const std::string& line, const std::string& needed, Next next) {
  std::istringstream stream(line);
  data::Lines lines(stream, "line");
  Example example;
  if (!next(lines, example)) throw DataError("line:1:1: empty line; needed " + needed);
  return example;
}

// Parses one line with read(lines).
template <class Example, class Read>
Example line_example(const std::string& line, const std::string& needed, Read read) {
  return next_example<Example>(line, needed, [&](data::Lines& lines, Example& example) {
    if (!lines.next() || is_blank(lines.line())) return false;
    example = read(lines);
    return true;
  });
}

}  // namespace espalier::app
