// draw_distinct: draws distinct examples, so that any split into train and test is fair.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include <espalier/base/error.h>

namespace espalier::data {

// The first n of draw(0), draw(1) … with distinct texts. If too few exist, throws an Error that begins with `who`.
template <class Draw, class Text>
auto draw_distinct(size_t n, const char* who, Draw draw, Text text) {
  constexpr uint64_t patience = 100'000;  // maximal number of consecutive duplicates
  std::vector<decltype(draw(uint64_t{0}))> made;
  made.reserve(n);
  std::unordered_set<std::string> met;
  for (uint64_t index = 0, idle = 0; made.size() < n; ++index) {
    auto one = draw(index);
    if (met.insert(text(one)).second) {
      made.push_back(std::move(one));
      idle = 0;
    } else if (++idle == patience) {
      throw Error(std::string(who) + ": found only " + std::to_string(made.size()) + " of " + std::to_string(n) +
                  " distinct examples; allow larger ones");
    }
  }
  return made;
}

}  // namespace espalier::data
