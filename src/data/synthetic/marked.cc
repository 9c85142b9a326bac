#include <espalier/data/synthetic/marked.h>

#include <algorithm>
#include <cmath>

#include "base/draw.h"
#include "data/reading/number.h"
#include "data/reading/words.h"
#include "text/file_position.h"

namespace espalier::data::marked {
namespace {

constexpr size_t fewest = 4, early = 10;

// Sets the marks and the target.
void finish(Problem problem, Sequence& s, size_t first, size_t second) {
  s.steps.front().mark = s.steps.back().mark = -1;
  s.steps[first].mark = s.steps[second].mark = 1;
  const float a = s.steps[first].number, b = s.steps[second].number;
  s.target = problem == Problem::addition ? 0.5f + (a + b) / 4 : a * b;
}

}  // namespace

Sequence draw(Problem problem, uint64_t seed, uint64_t index, const Lengths& lengths) {
  if (lengths.shortest < fewest || lengths.longest < lengths.shortest)
    throw Error("marked: lengths " + std::to_string(lengths.shortest) + " … " + std::to_string(lengths.longest) +
                "; the shortest must be at least 4 and at most the longest");
  Draw next(seed, index);
  Sequence s;
  s.steps.resize(lengths.shortest + next.below(lengths.longest - lengths.shortest + 1));
  for (Step& step : s.steps) {
    const float zero_to_one = static_cast<float>(next.below(1 << 24)) * 0x1p-24f;
    step.number = problem == Problem::addition ? 2 * zero_to_one - 1 : zero_to_one;
  }
  const size_t half = s.steps.size() / 2, first = next.below(std::min(early, half));
  size_t second = next.below(half - 1);
  if (second >= first) ++second;
  finish(problem, s, first, second);
  return s;
}

Sequence parse(Problem problem, std::string_view text, std::string_view name, size_t line) {
  Sequence s;
  std::vector<size_t> stars;
  for (Words word(text); word.next();) {
    std::string_view digits = word.word();
    if (digits.ends_with('*')) {
      digits.remove_suffix(1);
      stars.push_back(s.steps.size());
    }
    const auto number = parse_number<float>(digits);
    if (!number || !std::isfinite(*number))
      FilePosition{name, line, word.column()}.fail(quoted(digits) + " is not a number");
    s.steps.push_back({*number, 0});
  }
  if (s.steps.size() < fewest || stars.size() != 2)
    FilePosition{name, line}.fail(std::to_string(s.steps.size()) + " numbers, " + std::to_string(stars.size()) +
                                  " of them marked; expected at least 4, two of them marked, such as 0.5*");
  finish(problem, s, stars[0], stars[1]);
  return s;
}

}  // namespace espalier::data::marked
