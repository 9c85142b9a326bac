// Reductions at extreme values: infinities, large inputs, empty rows.
#include <cmath>
#include <limits>

#include "laws/by_hand.h"

namespace espalier::law {
namespace ESPALIER_FILE {

constexpr float inf = std::numeric_limits<float>::infinity();

class Reduction : public ByHand {
 protected:
  // Checks the value and gradient of a scalar.
  void expect_one(Expr x, Expr y, float value, const std::vector<float>& gradient) {
    engine.watch(x);
    EXPECT_EQ(engine.value(y), value);
    EXPECT_EQ(engine.backward(y).of(x).to_vector(), gradient);
  }
};
ESPALIER_BY_HAND(Reduction);

TEST_P(Reduction, logsumexp) {
  const Expr far = row({1e4f, -1e4f, 0}), low = row({-1e4f, -1e4f}), none = row({-inf, -inf}), some = row({-inf, 3});
  expect_one(far, logsumexp(far), 1e4f, {1, 0, 0});
  expect_one(low, logsumexp(low), -1e4f + std::log(2.f), {0.5f, 0.5f});
  expect_one(none, logsumexp(none), -inf, {0, 0});
  expect_one(some, logsumexp(some), 3, {0, 1});
  const Expr nothing = row({});
  EXPECT_EQ(engine.value(logsumexp(nothing)), -inf);
  const Expr all = row({inf, 0});
  EXPECT_EQ(engine.value(logsumexp(all)), inf);
}

// The softmax of only -inf, the gradient of logsumexp, is zero.
TEST_P(Reduction, softmax_of_nothing) {
  EXPECT_EQ(engine.tensor(softmax(row({-inf, -inf}))).to_vector(), (std::vector<float>{0, 0}));
  EXPECT_EQ(engine.tensor(softmax(row({-inf, 1, -inf, 1}, {2, 2}), 0)).to_vector(),
            (std::vector<float>{0, 0.5f, 0, 0.5f}));
}

TEST_P(Reduction, of_rows) {
  const auto sum = scope.cell("sum", {{2}}, [](Many<Expr> xs) -> Expr { return logsumexp_rows(xs); });
  const auto low = scope.cell("low", {{2}}, [](Many<Expr> xs) -> Expr { return min_rows(xs); });
  const std::vector<Expr> xs{row({1e4f, -inf}), row({-1e4f, -inf}), row({0, -inf})};
  for (Expr x : xs) engine.watch(x);
  const Expr y = sum(xs);
  EXPECT_EQ(engine.tensor(y).to_vector(), (std::vector<float>{1e4f, -inf}));
  EXPECT_EQ(engine.tensor(logsumexp(xs)).to_vector(), (std::vector<float>{1e4f, -inf}));
  const Gradients g = engine.backward(sum_elements(y));
  EXPECT_EQ(g.of(xs[0]).to_vector(), (std::vector<float>{1, 0}));
  EXPECT_EQ(g.of(xs[1]).to_vector(), (std::vector<float>{0, 0}));
  EXPECT_EQ(engine.tensor(low(xs)).to_vector(), (std::vector<float>{-1e4f, -inf}));
  EXPECT_EQ(engine.tensor(max(xs)).to_vector(), (std::vector<float>{1e4f, -inf}));
  EXPECT_THROW((void)sum(graph, std::vector<Expr>{}), IndexError);
}

// Inside a cell, a reduction over a std::array of rows.
TEST_P(Reduction, of_so_many_rows_of_a_cell) {
  const auto both = scope.cell("both", {{2}, {2}}, [](Expr a, Expr b) -> std::array<Expr, 2> {
    return {max(std::array{a, b}), logsumexp(std::array{a, b})};
  });
  const Expr a = row({1, 4}), b = row({3, 4});
  engine.watch(a);
  const auto [m, l] = both(a, b);
  near(engine.tensor(m), {3, 4});
  near(engine.tensor(l), {std::log(std::exp(1) + std::exp(3)), 4 + std::log(2)});
  EXPECT_EQ(engine.backward(sum_elements(m)).of(a).to_vector(), (std::vector<float>{0, 1})) << "the first of equals";
}

TEST_P(Reduction, along_an_axis) {
  const Expr x = row({1, 5, 5, 2, -3, 0}, {2, 3});
  expect(max_axis(x, 1), {5, 2}, {x}, {{0, -0.75, 0, 0.5, 0, 0}});
  expect(min_axis(x, 0), {1, -3, 0}, {x}, {{-0.75, 0, 0, 0, 0.5, -1}});
  EXPECT_EQ(engine.tensor(argmax_one_hot(x, -1)).to_vector(), (std::vector<float>{0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(engine.tensor(cumsum(x, 1)).to_vector(), (std::vector<float>{1, 6, 11, 2, -1, -1}));
  engine.watch(x);
  EXPECT_EQ(engine.backward(sum_elements(argmax_one_hot(x) * x)).of(x).to_vector(),
            (std::vector<float>{0, 1, 0, 1, 0, 0}));
  engine.watch(x);
  EXPECT_EQ(engine.backward(sum_elements(argmax_one_hot(x, -1, true) * 3)).of(x).to_vector(), std::vector<float>(6, 3));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
