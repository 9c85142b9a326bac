// Values and gradients at large inputs, and at zero, by hand.
#include <cmath>
#include <gtest/gtest.h>

#include <espalier/expr/cell.h>
#include "law/op/laws.h"

namespace espalier::law {
namespace {

// What both must give, by hand.
class Stable : public testing::TestWithParam<Device> {
 protected:
  // Value and gradient of Σ y.
  void expect(Expr x, Expr y, std::vector<float> values, std::vector<float> gradient) {
    engine.watch(x);
    EXPECT_EQ(engine.tensor(y).data, values);
    EXPECT_EQ(engine.backward(sum_elements(y)).of(x).data, gradient);
  }
  Expr row(std::vector<float> data) { return input(graph, data, {static_cast<int>(data.size())}); }
  Engine engine{on(GetParam())};
  Graph graph = engine.graph();
};

TEST_P(Stable, softmax) {
  const Expr x = row({1e4f, -1e4f, 0});
  expect(x, softmax(x), {1, 0, 0}, {0, 0, 0});
  const Expr same = row({1e4f, 1e4f});
  expect(same, softmax(same), {0.5f, 0.5f}, {0, 0});
  const Expr low = row({-1e4f, -1e4f});
  expect(low, softmax(low), {0.5f, 0.5f}, {0, 0});
}
TEST_P(Stable, log_softmax) {
  const Expr x = row({1e4f, -1e4f, 0});
  expect(x, log_softmax(x), {0, -2e4f, -1e4f}, {-2, 1, 1});
}
TEST_P(Stable, cross_entropy) {
  const Expr x = row({1e4f, -1e4f, 0});
  expect(x, cross_entropy(x, 0), {0}, {0, 0, 0});
  const Expr y = row({1e4f, -1e4f, 0});
  expect(y, cross_entropy(y, 1), {2e4f}, {1, -1, 0});
}
TEST_P(Stable, softmax_rows) {
  Parameters params;
  const auto soft_max = Scope(params).cell("soft_max", {{1}},
                                           [](Many<Expr> xs) -> Expr { return sum_rows(softmax_rows(xs) * Expr(xs)); });
  const std::vector<Expr> xs{row({1e4f}), row({-1e4f}), row({0})};
  expect(xs[0], soft_max(xs), {1e4f}, {1});
  const std::vector<Expr> low{row({-1e4f}), row({-1e4f})};
  expect(low[0], soft_max(low), {-1e4f}, {0.5f});
}
TEST_P(Stable, sigmoid_tanh_softplus) {
  const Expr x = row({1e4f, -1e4f});
  expect(x, sigmoid(x), {1, 0}, {0, 0});
  const Expr y = row({1e4f, -1e4f});
  expect(y, tanh(y), {1, -1}, {0, 0});
  const Expr z = row({1e4f, -1e4f});
  expect(z, softplus(z), {1e4f, 0}, {1, 0});
  const Expr s = row({1e4f, -1e4f});
  expect(s, silu(s), {1e4f, 0}, {1, 0});
  const Expr e = row({1e4f, -1e4f});
  expect(e, elu(e), {1e4f, -1}, {1, 0});
}

INSTANTIATE_TEST_SUITE_P(, Stable, testing::Values(Device::ref(), Device::cpu()),
                         [](const auto& c) { return str(c.param); });

}  // namespace
}  // namespace espalier::law
