#include "tasks/metrics/spans.h"

#include <algorithm>

namespace espalier::app {

std::vector<Span> spans_of(const std::vector<std::string>& tags) {
  std::vector<Span> spans;
  for (size_t i = 0; i < tags.size(); ++i) {
    const std::string& tag = tags[i];
    if (tag.size() < 3 || tag[1] != '-') continue;
    const bool goes_on = tag[0] != 'B' && !spans.empty() && spans.back().end == i && spans.back().kind == tag.substr(2);
    if (goes_on)
      spans.back().end = i + 1;
    else
      spans.push_back({i, i + 1, tag.substr(2)});
  }
  return spans;
}

void SpanScore::add(const std::vector<std::string>& gold, const std::vector<std::string>& found) {
  const std::vector<Span> a = spans_of(gold), b = spans_of(found);
  gold_ += static_cast<double>(a.size());
  found_ += static_cast<double>(b.size());
  for (const Span& s : b) right_ += std::binary_search(a.begin(), a.end(), s);
}

double SpanScore::f1() const { return gold_ + found_ == 0 ? 0 : 2 * right_ / (gold_ + found_); }

}  // namespace espalier::app
