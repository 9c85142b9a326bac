// Large inputs: where the reference has a number, the CPU has it too, and no gradient is lost to an overflow on the
// way.
#include <cmath>

#include <espalier/expr/cell.h>
#include "laws/op_law.h"

namespace espalier::test {
namespace {

class Large : public OpLaw {};
TEST_P(Large, inputs_give_what_the_reference_gives) {
  each_way([](Given given) {
    if (given == Given::parameters) return;  // the same kernels
    const OpCell cell(GetParam(), given);
    std::vector<Arguments> calls = some_calls(cell, 8);
    // ±1e4, near each other and far: the sign is that of the drawn number, so that the op's domain is kept.
    for (size_t c = 0; c < calls.size(); ++c)
      for (auto& leaf : calls[c].leaves)
        for (size_t e = 0; e < leaf.size(); ++e)
          leaf[e] = std::copysign(c % 2 == 0 ? 1e4f : e % 2 == 0 ? 9.999e3f : 1e4f, leaf[e]);
    const Outcome ref = run_together(on(Device::ref()), cell, calls),
                  cpu = run_together(on(Device::cpu()), cell, calls);
    // A sum of products of two rows has terms of 1e8 that may cancel.
    const OpInfo& op = cell.op();
    const bool products = !op.elementwise && ref.leaves[0].size() > 1 && op.inputs.size() > 1;
    const int degree = op.degree > 0 ? op.degree : products ? 2 : 1;
    const double tolerance = op.tolerance, terms = std::pow(1e4, degree);
    auto near = [&](const Tensor& a, const Tensor& b, const std::string& what) {
      for (size_t e = 0; e < b.data.size(); ++e) {
        const double x = static_cast<double>(a.data[e]), y = static_cast<double>(b.data[e]);
        if (!std::isfinite(y)) continue;  // exp(1e4) is beyond float in any case
        EXPECT_TRUE(std::isfinite(x)) << what << ", element " << e << ": " << x << " against " << y;
        EXPECT_NEAR(x, y, tolerance * std::max(terms, std::abs(y))) << what << ", element " << e;
      }
    };
    for (size_t c = 0; c < calls.size(); ++c) {
      near(cpu.y[c], ref.y[c], "call " + std::to_string(c));
      for (size_t l = 0; l < ref.leaves[c].size(); ++l)
        near(cpu.leaves[c][l], ref.leaves[c][l], "call " + std::to_string(c) + ", gradient " + std::to_string(l));
    }
  });
}
ESPALIER_LAW_OVER_OPS(Large);

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
}  // namespace espalier::test
