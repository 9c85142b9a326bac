// Functions with float attributes: outside a cell the attributes are Numbers of the call, inside a cell constants.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include <espalier/engine/engine.h>
#include <espalier/expr/cell.h>
#include <espalier/expr/functions.h>
#include <espalier/param/parameters.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

// Compares values and gradients of f outside and inside a cell.
template <class F>
void expect_same(F f, const std::vector<float>& at) {
  const Shape shape{static_cast<int>(at.size())};
  Parameters params;
  const auto cell = Scope(params).cell("f", {shape}, [&](Expr x) { return f(x); });
  Engine engine;
  Graph g = engine.graph();
  const Expr x = input(g, at, shape) * 1.0f, y = input(g, at, shape) * 1.0f, outside = f(x), inside = cell(y);
  const Tensor a = engine.tensor(outside), b = engine.tensor(inside);
  engine.watch(x);
  engine.watch(y);
  const std::vector<Expr> losses{sum_elements(outside), sum_elements(inside)};
  const Gradients gradients = engine.backward(losses);
  for (size_t i = 0; i < at.size(); ++i) {
    if (std::isnan(at[i])) {
      EXPECT_EQ(std::isnan(a[i]), std::isnan(b[i]));
      continue;
    }
    EXPECT_FLOAT_EQ(a[i], b[i]) << "at " << at[i];
    EXPECT_FLOAT_EQ(gradients.of(x)[i], gradients.of(y)[i]) << "the slope at " << at[i];
  }
}

TEST(ByNumbers, ValuesAndSlopesAreThoseOfTheOp) {
  const std::vector<float> at{-3, -0.5f, -0.f, 0, 1e-3f, 0.5f, 1, 2, 40, -40, nan};
  expect_same([](Expr x) { return elu(x, 2.5f); }, at);
  expect_same([](Expr x) { return leaky_relu(x, 0.3f); }, at);
  expect_same([](Expr x) { return clamp(x, -0.5f, 1); }, at);
  expect_same([](Expr x) { return clamp(x, -inf, 1); }, at);
  expect_same([](Expr x) { return clamp(x, 0.5f, 0.5f); }, at);
}

TEST(ByNumbers, DifferentOnesRunTogether) {
  Engine engine;
  Graph g = engine.graph();
  std::vector<Expr> all;
  for (int i = 0; i < 10; ++i) {
    const float v = 0.1f * static_cast<float>(i + 1);
    const Expr x = full(g, {3}, -v);
    all.push_back(leaky_relu(elu(clamp(x, -v, v), v), v));
  }
  const std::vector<Tensor> values = engine.tensors(all);
  EXPECT_EQ(engine.counters().steps, 4u) << "full, clamp, elu, leaky_relu";
  for (int i = 0; i < 10; ++i) {
    const float v = 0.1f * static_cast<float>(i + 1);
    EXPECT_FLOAT_EQ(values[static_cast<size_t>(i)][2], v * v * std::expm1(-v));
  }
}

TEST(ByNumbers, FullIsItsValueToTheBit) {
  Engine engine;
  Graph g = engine.graph();
  for (const float v : {0.f, -0.f, 1e-45f, -3.5f, inf, -inf}) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 2}}) {
      const Tensor t = engine.tensor(full(g, shape, v));
      EXPECT_EQ(t.shape(), shape);
      for (const float e : t) EXPECT_EQ(std::bit_cast<uint32_t>(e), std::bit_cast<uint32_t>(v)) << v;
    }
  }
  EXPECT_TRUE(std::isnan(engine.value(full(g, {}, nan))));
}

TEST(ByNumbers, ClampRefusesWhatItRefusesInACell) {
  Engine engine;
  Graph g = engine.graph();
  const Expr x = full(g, {3}, 1);
  EXPECT_EQ(error_of([&] { clamp(x, 1, 0, Where{"model.cc", 4}); }),
            "clamp: lo = 1.000000, hi = 0.000000; lo must be at most hi (model.cc:4)");
  EXPECT_EQ(error_of([&] { clamp(x, nan, 0, Where{"model.cc", 4}); }),
            "clamp: lo = nan, hi = 0.000000; lo must be at most hi (model.cc:4)");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
