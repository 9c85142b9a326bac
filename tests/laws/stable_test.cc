// Values and gradients at large inputs and at zero, computed by hand.
#include <cmath>
#include <gtest/gtest.h>

#include <espalier/expr/cell.h>
#include "law/op/laws.h"

namespace espalier::law {
namespace ESPALIER_FILE {

// Compares a device with values computed by hand.
class Stable : public testing::TestWithParam<Device> {
 protected:
  // Checks the values of y and the gradient of Σ y.
  void expect(Expr x, Expr y, std::vector<float> values, std::vector<float> gradient) {
    engine.watch(x);
    EXPECT_EQ(engine.tensor(y).to_vector(), values);
    EXPECT_EQ(engine.backward(sum_elements(y)).of(x).to_vector(), gradient);
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

TEST_P(Stable, log_sigmoid_gelu_selu_softsign) {
  const Expr x = row({1e4f, -1e4f});
  expect(x, log_sigmoid(x), {0, -1e4f}, {0, 1});
  const Expr y = row({1e4f, -1e4f});
  expect(y, gelu(y), {1e4f, 0}, {1, 0});
  const Expr z = row({1e4f, -1e4f});
  expect(z, selu(z), {1.0507009873554805e4f, -1.7580993408473766f}, {1.0507009873554805f, 0});
  const Expr s = row({1e30f, -1e30f});
  expect(s, softsign(s), {1, -1}, {0, 0});
}
// The norm of a zero vector has gradient 0.
TEST_P(Stable, safe_sqrt_at_zero) {
  const Expr x = row({0, 0});
  expect(x, safe_sqrt(sum_elements(square(x))), {0}, {0, 0});
  const Expr y = row({0, -4, 4});
  expect(y, safe_sqrt(y), {0, 0, 2}, {0, 0, 0.25f});
}
// Neither 0 log 0 nor 0 · 0⁻¹ gives NaN.
TEST_P(Stable, pow_at_zero_and_below) {
  const std::vector<float> exponents{0, 2, 1, 0.5f, 3, -2};
  const Expr a = row({0, 0, 0, 4, -2, -2}), b = row(exponents);
  expect(a, pow(a, b), {1, 0, 0, 2, -8, 0.25f}, {0, 0, 1, 0.25f, 12, 0.25f});
  const Expr c = row({0, 0, 0, 4, -2, -2}), d = row(exponents);
  const float slope = 2 * std::log(4.f);
  expect(d, pow(c, d), {1, 0, 0, 2, -8, 0.25f}, {0, 0, 0, slope, 0, 0});
  const Expr e = row({3, -3});
  expect(e, pow(e, 2), {9, 9}, {6, -6});
}
TEST_P(Stable, no_overflow_before_the_result_does) {
  const auto near = [&](Expr y, std::vector<double> values) {
    const Tensor t = engine.tensor(y);
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(static_cast<double>(t[i]) / values[i], 1, 4e-6) << t[i] << " for " << values[i];
  };
  near(sinh(row({89, -89, 1e-20f, 0.01f})), {std::sinh(89.), -std::sinh(89.), 1e-20, std::sinh(0.01f)});
  near(cosh(row({89, -89, 1e-20f})), {std::cosh(89.), std::cosh(89.), 1});
  near(asinh(row({3e38f, -3e38f, 1e-20f, -0.01f})), {std::asinh(3e38f), -std::asinh(3e38f), 1e-20, std::asinh(-0.01f)});
  near(acosh(row({3e38f, 1.0001f})), {std::acosh(3e38f), std::acosh(static_cast<double>(1.0001f))});
  near(atanh(row({1e-20f, 0.99999f, -0.99999f})),
       {1e-20, std::atanh(static_cast<double>(0.99999f)), -std::atanh(static_cast<double>(0.99999f))});
  near(asin(row({1e-20f, 1, -1})), {1e-20, std::asin(1.), std::asin(-1.)});
  near(acos(row({0.99999f, 0, -1})), {std::acos(static_cast<double>(0.99999f)), std::acos(0.), std::acos(-1.)});
  near(expm1(row({1e-20f})), {1e-20});
  near(log1p(row({1e-20f})), {1e-20});
  for (Expr y : {sinh(row({90, -90})), cosh(row({90, -90}))})
    for (float v : engine.tensor(y)) EXPECT_TRUE(std::isinf(v));
  for (Expr y : {asin(row({1.1f, -1.1f})), acos(row({1.1f, -1.1f})), acosh(row({0.9f, -2})), atanh(row({1.1f, -2}))})
    for (float v : engine.tensor(y)) EXPECT_TRUE(std::isnan(v));
}
// An infinite gradient of the other operand does not become NaN.
TEST_P(Stable, choices_at_ties_and_beside_infinities) {
  const Expr a = row({1, 2, 3}), b = row({1, 3, 2});
  expect(a, max(a, b), {1, 3, 3}, {1, 0, 1});
  const Expr c = row({1, 2, 3}), d = row({1, 3, 2});
  expect(d, max(c, d), {1, 3, 3}, {0, 1, 0});
  const Expr e = row({1, 2, 3}), f = row({1, 3, 2});
  expect(e, min(e, f), {1, 2, 2}, {1, 1, 0});
  const Expr x = row({0, 4});
  expect(x, sqrt(max(x, 1)), {1, 2}, {0, 0.25f});
  const Expr y = row({-1, 4}), other = row({0, 0});
  expect(y, sqrt(where(-y, other, y)), {0, 2}, {0, 0.25f});
  const Expr z = row({-1, 0.5f, 2});
  expect(z, clamp(z, 0, 1), {0, 0.5f, 1}, {0, 1, 0});
  const Expr w = row({-3, 0, 3});
  expect(w, abs(w), {3, 0, 3}, {-1, 0, 1});
}
TEST_P(Stable, gradients_that_are_no_slopes) {
  const Expr a = row({-1.5f, 2.5f});
  expect(a, floor(a), {-2, 2}, {0, 0});
  const Expr b = row({-1.5f, 2.5f});
  expect(b, floor(b, true), {-2, 2}, {1, 1});
  const Expr c = row({-1.5f, 2.25f});
  expect(c, ceil(c, true), {-1, 3}, {1, 1});
  const Expr d = row({-1.5f, 2.5f});
  expect(d, round(d, true), {-2, 2}, {1, 1});
  const Expr e = row({-1.5f, 2.5f});
  expect(e, flip_gradient(e), {-1.5f, 2.5f}, {-1, -1});
  const Expr f = row({-1.5f, 2.5f});
  expect(f, scale_gradient(f, 0.5f), {-1.5f, 2.5f}, {0.5f, 0.5f});
  const Expr g = row({3});
  EXPECT_FALSE(find_op("digamma")->differentiable());
  expect(g, digamma(g), {0.922784335f}, {0});
}

INSTANTIATE_TEST_SUITE_P(, Stable, testing::Values(Device::ref(), Device::cpu()),
                         [](const auto& c) { return str(c.param); });

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
