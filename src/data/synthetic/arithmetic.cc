// Generates random arithmetic expressions: a random tree, with random numbers and operators at its nodes.
#include <espalier/base/error.h>
#include <espalier/data/arithmetic.h>

#include "base/draw.h"
#include "data/synthetic/distinct.h"
#include "data/synthetic/grow.h"
#include "data/trees/arithmetic_builder.h"

namespace espalier::data::arithmetic {
namespace {

constexpr int patience = 10'000;

void check(const Options& options) {
  const auto fail = [](const std::string& what) { throw Error("arithmetic: " + what); };
  if (options.max_operators < 1)
    fail("max_operators is " + std::to_string(options.max_operators) + "; expected at least 1");
  if (options.ops.empty() || options.ops.find_first_not_of("+-*") != std::string_view::npos)
    fail("ops are '" + std::string(options.ops) + "'; expected some of +-*");
  if (options.smallest < -largest || options.biggest > largest || options.smallest > options.biggest)
    fail("numbers " + std::to_string(options.smallest) + " … " + std::to_string(options.biggest) +
         "; expected a range inside -10 … 10");
}

}  // namespace

Expression draw(uint64_t seed, uint64_t index, const Options& options) {
  check(options);
  Draw draw(seed, index);
  const auto numbers = static_cast<uint64_t>(options.biggest - options.smallest) + 1;
  for (int tries = 0; tries < patience; ++tries) {
    Expression made;
    bool valid = true;
    const auto leaves = 2 + static_cast<uint32_t>(draw.below(static_cast<uint64_t>(options.max_operators)));
    grow_tree(
        leaves, [&](uint32_t of) { return 1 + static_cast<uint32_t>(draw.below(of - 1)); },
        [&] { made.nodes.push_back({0, options.smallest + static_cast<int>(draw.below(numbers)), 0, 0}); },
        [&](uint32_t left, uint32_t right) {
          const char op = options.ops[draw.below(options.ops.size())];
          if (add_operation(made, op, left, right)) return;
          valid = false;
          made.nodes.push_back({op, 0, left, right});
        });
    if (valid && (!options.bounded || std::abs(made.value()) <= largest)) return made;
  }
  throw Error("arithmetic: none of 10000 expressions has a value in -10 … 10; allow other numbers");
}

std::vector<Expression> generate(size_t n, uint64_t seed, const Options& options) {
  check(options);
  return draw_distinct(
      n, "arithmetic", [&](uint64_t index) { return draw(seed, index, options); },
      [](const Expression& e) { return to_text(e); });
}

}  // namespace espalier::data::arithmetic
