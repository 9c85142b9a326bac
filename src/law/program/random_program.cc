#include "law/program/random_program.h"

#include <charconv>

#include <espalier/base/error.h>
#include "base/draw.h"

namespace espalier::law {

RandomProgram random_program(uint64_t seed) {
  Draw draw(seed, 1);
  RandomProgram r;
  r.numbers = draw.below(1'000'000);
  // As in real programs, a few kinds of lines dominate, so much of the program batches.
  std::vector<uint16_t> favourites;
  for (size_t i = 0; i < 6; ++i) favourites.push_back(static_cast<uint16_t>(draw.below(1000)));
  const size_t examples = 1 + draw.below(5), longest = 1 + draw.below(30);
  for (size_t e = 0; e < examples; ++e) {
    std::vector<Line> lines(draw.below(longest + 1));
    for (Line& l : lines) {
      auto any = [&] { return static_cast<uint16_t>(draw.below(1000)); };
      l = {draw.below(2) ? favourites[draw.below(favourites.size())] : any(), any(), any(), any()};
      if (draw.below(2)) l.a = 999;  // often uses the newest value, which makes chains
    }
    // Sometimes repeats the structure of the first example with other values.
    if (e > 0 && draw.below(3) == 0) lines = r.examples[0];
    r.examples.push_back(std::move(lines));
  }
  return r;
}

std::string print(const RandomProgram& program) {
  std::string s = std::to_string(program.numbers) + ":";
  for (size_t e = 0; e < program.examples.size(); ++e) {
    if (e > 0) s += '/';
    for (size_t i = 0; i < program.examples[e].size(); ++i) {
      const Line& l = program.examples[e][i];
      s += (i ? "," : "") + std::to_string(l.what) + "." + std::to_string(l.a) + "." + std::to_string(l.b) + "." +
           std::to_string(l.c);
    }
  }
  return s;
}

RandomProgram parse_random_program(std::string_view text) {
  size_t at = 0;
  auto fail = [&](const std::string& needed) {
    return DataError("program:1:" + std::to_string(at + 1) + ": " + needed + " is needed");
  };
  auto number = [&]<class N>(N& value) {
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc{}) throw fail("a number");
    at = static_cast<size_t>(end - text.data());
  };
  auto expect = [&](char c) {
    if (at >= text.size() || text[at] != c) throw fail(std::string("'") + c + "'");
    ++at;
  };
  RandomProgram r;
  number(r.numbers);
  expect(':');
  r.examples.emplace_back();
  while (at < text.size()) {
    if (text[at] == '/') {
      r.examples.emplace_back();
      ++at;
      continue;
    }
    if (!r.examples.back().empty()) expect(',');
    Line l;
    number(l.what);
    expect('.');
    number(l.a);
    expect('.');
    number(l.b);
    expect('.');
    number(l.c);
    r.examples.back().push_back(l);
  }
  return r;
}

}  // namespace espalier::law
