// Sums over many elements of a row. A float sum no longer grows when it is 2^24 times its terms.
#include <cmath>

#include <gtest/gtest.h>

#include <espalier/espalier.h>

namespace espalier::test {
namespace ESPALIER_FILE {

constexpr int side = 8192, other = 4096;
constexpr float many = 33554432;  // 2^25 elements

TEST(LargeSums, OfElementsDoNotSaturate) {
  Engine engine;
  const auto check = [&](auto f, double expected) {
    Graph g = engine.graph();
    EXPECT_NEAR(static_cast<double>(engine.value(f(ones(g, {side, other})))), expected, 1e-6 * std::abs(expected));
  };
  const double n = static_cast<double>(many);
  check([](Expr x) { return sum_elements(x); }, n);
  check([](Expr x) { return mean_elements(x); }, 1);
  check([](Expr x) { return l2_norm(x); }, std::sqrt(n));
  check([](Expr x) { return logsumexp(reshape(x, {-1})); }, 1 + std::log(n));
  check([](Expr x) { return logsumexp(reshape(x, {-1, 1}), 0); }, 1 + std::log(n));
  check([](Expr x) { return sum_elements(sum_axis(reshape(x, {-1, 1}), 0)); }, n);
  check([n](Expr x) { return pick(softmax(reshape(x, {-1}) * 1), 7) * static_cast<float>(n); }, 1);
  check([](Expr x) { return pick(cumsum(reshape(x, {-1}), 0), static_cast<int>(many) - 1); }, n);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
