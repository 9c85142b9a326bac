// Tests the example op of CONTRIBUTING.md: it has a function, and its calls batch. tests/laws/ops_test.cc, compiled
// together with this file, checks its laws.
#include <gtest/gtest.h>

#include <cmath>

#include <espalier/espalier.h>
#include "op/op.h"

namespace espalier {
namespace {

TEST(NewOp, is_a_function_that_batches_and_has_a_gradient) {
  for (Device device : {Device::ref(), Device::cpu()}) {
    EngineOptions options;
    options.device = device;
    Engine engine(options);
    Graph g = engine.graph();
    const Expr x = input(g, std::vector<float>{0, 1, -2}, {3}), y = input(g, 0.5f);
    const Expr a = bump(x), b = bump(x * 2), c = bump(y);
    engine.watch(x);
    const auto values = engine.tensors(std::vector{a, b, c});
    for (size_t i = 0; i < 3; ++i) {
      const double v = std::array{0., 1., -2.}[i];
      EXPECT_NEAR(static_cast<double>(values[0][i]), std::exp(-v * v), 1e-6);
      EXPECT_NEAR(static_cast<double>(values[1][i]), std::exp(-4 * v * v), 1e-6);
    }
    EXPECT_NEAR(static_cast<double>(values[2][0]), std::exp(-0.25), 1e-6);
    const Tensor slope = engine.backward(sum_elements(a)).of(x);
    EXPECT_EQ(slope[0], 0);
    EXPECT_NEAR(static_cast<double>(slope[1]), -2 * std::exp(-1), 1e-6);
    EXPECT_NEAR(static_cast<double>(slope[2]), 4 * std::exp(-4), 1e-6);
  }
}

TEST(NewOp, is_in_the_table) {
  const OpInfo* op = find_op("bump");
  ASSERT_NE(op, nullptr);
  EXPECT_TRUE(op->elementwise);
  EXPECT_TRUE(op->differentiable());
  EXPECT_GE(op->samples().size(), 2u);
}

}  // namespace
}  // namespace espalier
