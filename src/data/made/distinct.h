// Examples of which no two are equal, so that any split of them is a fair one.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include <espalier/base/error.h>

namespace espalier::data {

// Those of draw(0), draw(1) … whose text was not met before. An Error that begins with `who` if there are too few.
template <class Draw, class Text>
auto draw_distinct(size_t n, const char* who, Draw draw, Text text) {
  constexpr uint64_t patience = 100'000;  // draws in a row that give nothing new
  std::vector<decltype(draw(uint64_t{0}))> made;
  made.reserve(n);
  std::unordered_set<std::string> met;
  for (uint64_t index = 0, idle = 0; made.size() < n; ++index) {
    auto one = draw(index);
    if (met.insert(text(one)).second) {
      made.push_back(std::move(one));
      idle = 0;
    } else if (++idle == patience) {
      throw Error(std::string(who) + ": " + std::to_string(n) + " different ones asked for, " +
                  std::to_string(made.size()) + " found; allow larger ones");
    }
  }
  return made;
}

}  // namespace espalier::data
