// The effects of the cell passes, and that they preserve results: a random function of rows gives the same values and
// gradients as one optimised cell and as ops recorded one by one, which no pass can change.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <espalier/espalier.h>
#include "cell/program.h"

namespace espalier {
namespace ESPALIER_FILE {

struct Weights {
  Parameters params{5};
  Parameter square = Scope(params).add("square", {8, 8}), wide = Scope(params).add("wide", {16, 8}),
            narrow = Scope(params).add("narrow", {4, 8}), back = Scope(params).add("back", {8, 16});
  Parameter bias16 = Scope(params).add("bias16", {16}, init::normal(0, 0.5f)),
            bias8 = Scope(params).add("bias8", {8}, init::normal(0, 0.5f));
  std::vector<Parameter> all() const { return {square, wide, narrow, back, bias16, bias8}; }
};

using Three = std::array<Expr, 3>;

// Deterministic: the same seed gives the same function.
Three random_function(const Weights& w, uint64_t seed, Expr x, Expr y, Expr z) {
  std::mt19937_64 random(seed);
  auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  std::vector<Expr> made{x, y, z};
  auto any = [&] {
    return made[below(4) == 0 ? below(made.size()) : made.size() - 1 - below(std::min<size_t>(made.size(), 4))];
  };
  auto size = [](Expr e) { return static_cast<int>(e.shape().size()); };
  auto of_size = [&](int n) {
    std::vector<Expr> found;
    for (Expr e : made)
      if (size(e) == n) found.push_back(e);
    return found.empty() ? slice(concat(x, y), 0, n) : found[below(found.size())];
  };
  for (size_t left = 6 + below(10); left > 0; --left) {
    const Expr a = any();
    switch (below(13)) {
      case 0: {
        const int begin = static_cast<int>(below(static_cast<size_t>(size(a))));
        const int end = begin + 1 + static_cast<int>(below(static_cast<size_t>(size(a) - begin)));
        made.push_back(slice(a, begin, end));
        break;
      }
      case 1:
        if (size(a) % 2 == 0) {
          auto [first, second] = split<2>(a);
          made.push_back(first);
          made.push_back(second);
        }
        break;
      case 2:
        if (size(a) % 4 == 0) {
          auto [p, q, r, s] = split<4>(a);
          made.push_back(sigmoid(p) * tanh(q) + sigmoid(r) * s);
        }
        break;
      case 3:
        if (const Expr b = any(); size(a) + size(b) <= 24) made.push_back(concat(a, b));
        break;
      case 4:
        if (const Expr b = any(), c = any(); size(a) + size(b) + size(c) <= 24) made.push_back(concat(c, a, b));
        break;
      case 5:
        made.push_back(a + of_size(size(a)));
        break;
      case 6:
        made.push_back(tanh(a * of_size(size(a))));
        break;
      case 7:
        made.push_back(tanh(a));
        break;
      case 8:
        made.push_back(linear(of_size(8), w.wide, w.bias16) + linear(of_size(8), w.wide));
        break;
      case 9:
        made.push_back(tanh(linear(of_size(16), w.back)) + linear(of_size(8), w.square, w.bias8));
        break;
      case 10:
        made.push_back(linear(of_size(8), w.narrow));
        break;
      case 11:
        made.push_back(linear(of_size(8), w.wide) + w.bias16);
        break;
      default:
        if (size(a) % 2 == 0) made.push_back(reshape(tanh(reshape(a, {2, size(a) / 2})), {size(a)}));
    }
  }
  return {made[made.size() - 1], made[made.size() - 2], made[made.size() - 3]};
}

struct Outcome {
  std::vector<float> values, gradients;
};

Outcome outcome(Weights& w, uint64_t seed, bool as_cell, Device device) {
  Engine engine({.device = device, .poison = true});
  Graph g = engine.graph();
  Cell<Three(Expr, Expr, Expr)> cell;
  if (as_cell)
    cell = Scope(w.params).cell("random", {{8}, {8}, {6}},
                                [&](Expr x, Expr y, Expr z) -> Three { return random_function(w, seed, x, y, z); });
  std::vector<Expr> inputs, losses, outputs;
  for (int example = 0; example < 3; ++example) {
    std::vector<float> numbers(22);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<float>(seed + 31 * i) + example);
    const std::span<const float> all(numbers);
    const Expr x = input(g, all.first(8), {8}), y = input(g, all.subspan(8, 8), {8}), z = input(g, all.last(6), {6});
    inputs.insert(inputs.end(), {x, y, z});
    const Three made = as_cell ? cell(x, y, z) : random_function(w, seed, x, y, z);
    for (Expr e : made) {
      outputs.push_back(e);
      losses.push_back(mean_elements(tanh(e)));
    }
  }
  for (Expr x : inputs) engine.watch(x);
  const Gradients gradients = engine.backward(losses);
  Outcome o;
  auto put = [](std::vector<float>& to, const Tensor& t) { to.insert(to.end(), t.begin(), t.end()); };
  for (Expr e : outputs) put(o.values, engine.tensor(e));
  for (Expr x : inputs) put(o.gradients, gradients.of(x));
  for (const Parameter& p : w.all()) put(o.gradients, gradients.of(p));
  return o;
}

void expect_near(const std::vector<float>& a, const std::vector<float>& b, float tolerance, uint64_t seed) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], tolerance * (1 + std::fabs(b[i]))) << "seed " << seed << ", element " << i;
}

TEST(Passes, ACellIsWhatItsOpsAreOneByOne) {
  Weights w;
  for (uint64_t seed = 0; seed < 600; ++seed)
    for (Device device : {Device::ref(), Device::cpu()}) {
      const Outcome one = outcome(w, seed, false, device), other = outcome(w, seed, true, device);
      expect_near(other.values, one.values, 1e-5f, seed);
      expect_near(other.gradients, one.gradients, 1e-4f, seed);
    }
}

// The rest of the line of explain() that contains `which`, from there on.
std::string kernels(const std::string& explained, const char* which) {
  const size_t at = explained.find(which);
  return explained.substr(at, explained.find('\n', at) - at);
}

TEST(Passes, GatesAreCutAfterTheProductAndTheBiasJoinsThem) {
  Weights w;
  const auto cell = Scope(w.params).cell("gates", {{8}}, [&](Expr x) {
    auto [i, g] = split<2>(linear(x, w.wide, w.bias16));
    return sigmoid(i) * tanh(g);
  });
  EXPECT_EQ(kernels(cell.explain(), "forward:"), "forward: linear · fused kernel (5 ops, 8 elements)");
  // The gradients of both gates are written next to each other: no padding, sum or copy before the product.
  EXPECT_EQ(kernels(cell.explain(), "backward:"), "backward: fused kernel (9 ops, 8 elements) · linear_t");
}

TEST(Passes, SlicesThatOverlapStayWhereTheyAre) {
  Weights w;
  const auto cell = Scope(w.params).cell("windows", {{8}}, [&](Expr x) {
    const Expr y = tanh(linear(x, w.wide));
    return slice(y, 0, 10) * slice(y, 6, 16);
  });
  EXPECT_EQ(kernels(cell.explain(), "forward:"),
            "forward: linear · fused kernel (1 ops, 16 elements) · fused kernel (1 ops, 10 elements)");
}

TEST(Passes, AProductAddsToTheRowsOfAnother) {
  Weights w;
  const auto cell = Scope(w.params).cell(
      "two", {{8}, {8}}, [&](Expr x, Expr h) { return tanh(linear(x, w.wide, w.bias16) + linear(h, w.wide)); });
  EXPECT_EQ(kernels(cell.explain(), "forward:"), "forward: linear · + linear · fused kernel (2 ops, 16 elements)");
}

TEST(Passes, PartsOfAGradientAreAddedToInPlace) {
  Weights w;
  const auto cell = Scope(w.params).cell("shared", {{8}, {8}}, [&](Expr l, Expr r) {
    return tanh(linear(concat(l, r), w.back)) * tanh(linear(l, w.square));
  });
  EXPECT_EQ(kernels(cell.explain(), "backward:"), "backward: fused kernel (9 ops, 8 elements) · linear_t · + linear_t");
}

TEST(Passes, WhatIsCheapIsComputedAgainInsteadOfKept) {
  Weights w;
  const auto cell = Scope(w.params).cell("mix", {{8}, {8}}, [&](Expr x, Expr y) {
    const Expr z = sigmoid(linear(x, w.square));
    return (1.f - z) * y + z * tanh(y);
  });
  int kept = 0;
  for (const Buffer& b : cell.program()->code.buffers) kept += b.kind == Buffer::Kind::kept;
  EXPECT_EQ(kept, 2) << "z and tanh(y), but not 1 - z";
}

// An LSTM over twenty words, read in the order of their rows or reversed.
struct Chain {
  uint64_t launches, copies;
  std::string explained;
  Outcome outcome;
};

Chain chain(uint32_t hoist_below, bool reversed, Policy policy = Policy::automatic) {
  Parameters params{3};
  const nn::Embedding words(params / "words", 30, 8);
  const nn::LSTM lstm(params / "lstm", 8, 6);
  Engine engine({.policy = policy, .poison = true, .hoist_below = hoist_below});
  Graph g = engine.graph();
  std::vector<Expr> xs;
  for (int i = 0; i < 20; ++i) xs.push_back(words(g, i * 7 % 30));
  for (Expr x : xs) engine.watch(x);
  const std::vector<Expr> read = reversed ? std::vector<Expr>(xs.rbegin(), xs.rend()) : xs;
  const std::vector<Expr> hs = lstm.run(read);
  Chain c;
  c.explained = engine.explain(g);
  const Gradients gradients = engine.backward(mean_elements(hs.back()));
  c.launches = engine.counters().launches;
  c.copies = engine.counters().gathers;
  auto put = [](std::vector<float>& to, const Tensor& t) { to.insert(to.end(), t.begin(), t.end()); };
  for (Expr h : hs) put(c.outcome.values, engine.tensor(h));
  for (Expr x : xs) put(c.outcome.gradients, gradients.of(x));
  for (const Parameter& p : params.all()) put(c.outcome.gradients, gradients.of(p));
  return c;
}

TEST(Passes, WhatNoRecursionNeedsRunsOnceForAllSteps) {
  for (bool reversed : {false, true}) {
    const Chain once = chain(32, reversed), each = chain(0, reversed);
    // The first word uses a separate cell. For the other nineteen, W x is one launch, and the gradient of x another.
    EXPECT_EQ(each.launches - once.launches, 2 * 18 + (each.copies - once.copies));
    EXPECT_EQ(each.copies - once.copies, reversed ? 18 : 0) << "the words in another order are gathered at once";
    EXPECT_NE(once.explained.find("hoisted kernels for 19 calls"), std::string::npos) << once.explained;
    EXPECT_EQ(each.explained.find("hoisted"), std::string::npos);
    expect_near(once.outcome.values, each.outcome.values, 1e-6f, 0);
    expect_near(once.outcome.gradients, each.outcome.gradients, 1e-5f, 0);
  }
}

TEST(Passes, NothingIsDoneAheadWhereItWouldNotPayOrIsNotAskedFor) {
  EXPECT_EQ(chain(1, false).launches, chain(0, false).launches) << "steps of one row are not below one";
  EXPECT_EQ(chain(32, false, Policy::none).explained.find("hoisted"), std::string::npos) << "one call at a time";
}

// Products with the inputs of the second layer are hoisted, since the first layer has finished by then. If a state is
// its own input, nothing is hoisted.
TEST(Passes, AnInputIsEarlyIfItsRunsEndBeforeTheFirstStep) {
  Parameters params{3};
  const nn::LSTM lower(params / "lower", 6, 6), upper(params / "upper", 6, 6), loop(params / "loop", 6, 6);
  Engine engine;
  const std::array<float, 6> numbers{1, 2, 3, 4, 5, 6};
  Graph g = engine.graph();
  std::vector<Expr> xs(5, input(g, numbers, {6}));
  (void)upper.run(lower.run(xs));
  const std::string layers = engine.explain(g);
  EXPECT_NE(layers.find("hoisted kernels for 4 calls"), layers.rfind("hoisted kernels for 4 calls")) << layers;
  Graph other = engine.graph();
  nn::State s = loop(input(other, numbers, {6}));
  for (int i = 0; i < 4; ++i) s = loop(s.h, s);
  EXPECT_EQ(engine.explain(other).find("hoisted"), std::string::npos) << engine.explain(other);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
