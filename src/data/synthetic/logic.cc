// Generates random pairs of formulas.
#include <array>

#include <espalier/base/error.h>
#include <espalier/data/logic.h>

#include "base/draw.h"
#include "data/synthetic/distinct.h"

namespace espalier::data::logic {
namespace {

using Variables = std::array<int, variables>;

// A random formula with this many operators over the first `few` of `names`.
Formula draw_formula(Draw& draw, uint64_t operators, const Variables& names, uint64_t few) {
  struct Part {
    uint64_t operators;  // operators in this subtree
    int token = -1;      // its operator; -1: not chosen and operands not pushed yet
  };
  Formula made;
  std::vector<Part> parts{{operators}};
  std::vector<uint32_t> ready;  // nodes without a parent yet
  const auto take = [&] {
    const uint32_t node = ready.back();
    ready.pop_back();
    return node;
  };
  while (!parts.empty()) {
    Part& part = parts.back();
    if (part.operators > 0 && part.token < 0) {
      constexpr uint64_t one_in = 3;  // one operator in 3 is `not`
      part.token = draw.below(one_in) == 0 ? not_token : and_token + static_cast<int>(draw.below(2));
      const uint64_t below = part.operators - 1;
      if (part.token == not_token) {
        parts.push_back({below});
      } else {
        const uint64_t left = draw.below(below + 1);
        parts.push_back({below - left});
        parts.push_back({left});
      }
      continue;
    }
    Formula::Node node{part.token, 0, 0};
    if (part.operators == 0) {
      node.token = names[draw.below(few)];
    } else {
      node.right = take();
      if (part.token != not_token) node.left = take();
    }
    parts.pop_back();
    made.nodes.push_back(node);
    ready.push_back(made.root());
  }
  return made;
}

void check(const Options& options) {
  if (options.max_operators < 0)
    throw Error("logic: max_operators is " + std::to_string(options.max_operators) + "; expected at least 0");
  if (options.variables < 1 || options.variables > variables)
    throw Error("logic: " + std::to_string(options.variables) + " variables; expected 1 … 6");
}

}  // namespace

Pair draw(uint64_t seed, uint64_t index, const Options& options) {
  check(options);
  Draw draw(seed, index);
  const auto few = static_cast<uint64_t>(options.variables);
  const auto lengths = static_cast<uint64_t>(options.max_operators) + 1;
  Variables names{0, 1, 2, 3, 4, 5};
  for (size_t i = 0; i < few; ++i) std::swap(names[i], names[i + draw.below(variables - i)]);
  const auto one = [&] {
    for (;;) {
      Formula formula = draw_formula(draw, draw.below(lengths), names, few);
      if (const uint64_t truth = formula.truth(); truth != 0 && ~truth != 0) return formula;
    }
  };
  Pair pair{one(), one(), 0};
  pair.relation = relation(pair.left, pair.right);
  return pair;
}

std::vector<Pair> generate(size_t n, uint64_t seed, const Options& options) {
  check(options);
  return draw_distinct(
      n, "logic", [&](uint64_t index) { return draw(seed, index, options); },
      [](const Pair& pair) { return to_text(pair.left) + "\t" + to_text(pair.right); });
}

}  // namespace espalier::data::logic
