// Spans: named entities in IOB tags (Ramshaw and Marcus 1995): I-PER I-PER is one span, B-PER begins a new one.
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

// Span F1 as in conlleval: begin, end and kind must match.
class SpanScore {
 public:
  void add(const std::vector<std::string>& gold, const std::vector<std::string>& found);
  double f1() const;                          // 2 right / (gold + found); 0 without spans
  bool has_any() const { return gold_ > 0; }  // whether the gold tags have spans

 private:
  double gold_ = 0, found_ = 0, right_ = 0;
};

}  // namespace espalier::app
