// Generates random ListOps expressions with the published grammar (nyu-mll/spinn, data/listops/make_data.py).
#include <optional>
#include <string>
#include <unordered_set>

#include <espalier/base/error.h>
#include <espalier/data/listops.h>

#include "base/draw.h"
#include "data/trees/listops_builder.h"

namespace espalier::data::listops {
namespace {

constexpr uint64_t ops = 4, digits = 10;
constexpr uint64_t one_in = 4;        // one argument in 4 is an operator: VALUE_P = 0.25
constexpr size_t patience = 100'000;  // maximal number of consecutive draws that are duplicates or too long
constexpr size_t shortest = 4;        // tokens of the shortest expression, [MAX 1 2 ]

struct Drawn {
  Expression expression;
  std::string key;  // its tokens, one byte each, for comparison
};

// Returns nullopt if the expression becomes too long.
std::optional<Drawn> draw_one(Draw& draw, const Options& options) {
  const auto max_depth = static_cast<size_t>(options.max_depth);
  const auto max_args = static_cast<uint64_t>(options.max_args);
  Builder builder;
  std::string key;
  std::vector<uint64_t> missing;  // missing arguments of each open operator
  const auto open = [&] {
    missing.push_back(2 + draw.below(max_args - 1));
    const auto op = static_cast<Op>(digits + draw.below(ops));
    builder.open(op);
    key += static_cast<char>(op);
  };
  open();
  while (!missing.empty()) {
    if (options.max_tokens && key.size() + missing.size() > options.max_tokens) return {};
    if (missing.back() == 0) {
      missing.pop_back();
      builder.close();
      key += static_cast<char>(close_token);
      continue;
    }
    --missing.back();
    const size_t level = missing.size() + 1;
    if (level < max_depth && draw.below(one_in) == 0) {
      open();
    } else {
      const uint64_t digit = draw.below(digits);
      builder.digit(static_cast<int>(digit));
      key += static_cast<char>(digit);
    }
  }
  return Drawn{builder.take(), std::move(key)};
}

[[noreturn]] void fail(const std::string& what) { throw Error("listops: " + what); }

void check(const Options& options) {
  if (options.max_depth < 2) {
    fail("max_depth is " + std::to_string(options.max_depth) + "; an operator and its digits need at least 2");
  }
  if (options.max_args < 2) {
    fail("max_args is " + std::to_string(options.max_args) + "; an operator needs at least 2");
  }
  if (options.max_tokens != 0 && options.max_tokens < shortest) {
    fail("max_tokens is " + std::to_string(options.max_tokens) + "; the shortest expression has " +
         std::to_string(shortest));
  }
}

}  // namespace

std::vector<Expression> generate(size_t n, uint64_t seed, const Options& options) {
  check(options);
  std::vector<Expression> result;
  result.reserve(n);
  std::unordered_set<std::string> seen;
  Draw draw(seed);
  for (size_t idle = 0; result.size() < n;) {
    auto drawn = draw_one(draw, options);
    if (drawn && seen.insert(std::move(drawn->key)).second) {
      result.push_back(std::move(drawn->expression));
      idle = 0;
    } else if (++idle == patience) {
      fail("found only " + std::to_string(result.size()) + " of " + std::to_string(n) +
           " distinct expressions within max_depth " + std::to_string(options.max_depth) + ", max_args " +
           std::to_string(options.max_args) + ", max_tokens " + std::to_string(options.max_tokens) +
           "; allow larger ones");
    }
  }
  return result;
}

}  // namespace espalier::data::listops
