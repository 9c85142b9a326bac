// Spans: names of several words, as tags have them: I-PER I-PER is one, B-PER begins a new one (Ramshaw and Marcus
// 1995).
#pragma once
#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace espalier::app {

struct Span {
  size_t begin, end;
  std::string kind;  // PER
  auto operator<=>(const Span&) const = default;
};
std::vector<Span> spans_of(const std::vector<std::string>& tags);

// How many spans were found, as conlleval counts: begin, end and kind must be right.
class SpanScore {
 public:
  void add(const std::vector<std::string>& gold, const std::vector<std::string>& found);
  double f1() const;  // 2 right / (gold + found); 0 where there are none

 private:
  double gold_ = 0, found_ = 0, right_ = 0;
};

}  // namespace espalier::app
