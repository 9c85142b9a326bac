// Examples that stand in lines: those of a file, and the one that predict was given.
#pragma once
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/error.h>
#include <espalier/data/lines.h>

namespace espalier::app {

inline bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// read(lines) of every line of a file that is not blank; it may fail as data::Lines does.
template <class Example, class Read>
std::vector<Example> line_examples(const std::string& path, Read read) {
  data::Lines lines(path);
  std::vector<Example> all;
  while (lines.next())
    if (!is_blank(lines.line())) all.push_back(read(lines));
  return all;
}

// What next(lines, example) finds in one line, as the readers of component `data` do; `needed` is what a blank one
// lacks.
template <class Example, class Next>
Example next_example(const std::string& line, const std::string& needed, Next next) {
  std::istringstream stream(line);
  data::Lines lines(stream, "line");
  Example example;
  if (!next(lines, example)) throw DataError("line:1:1: it is empty; needed " + needed);
  return example;
}

// read(lines) of one line.
template <class Example, class Read>
Example line_example(const std::string& line, const std::string& needed, Read read) {
  return next_example<Example>(line, needed, [&](data::Lines& lines, Example& example) {
    if (!lines.next() || is_blank(lines.line())) return false;
    example = read(lines);
    return true;
  });
}

}  // namespace espalier::app
