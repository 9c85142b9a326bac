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

// read(lines) of one line; `needed` is what a blank one lacks.
template <class Example, class Read>
Example line_example(const std::string& line, const std::string& needed, Read read) {
  std::istringstream stream(line);
  data::Lines lines(stream, "line");
  if (!lines.next() || is_blank(lines.line())) throw DataError("line:1:1: it is empty; needed " + needed);
  return read(lines);
}

}  // namespace espalier::app
