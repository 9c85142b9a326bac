// Calls run in one step only if they have the same op, attributes, shapes and shared operands. The laws check this for
// every op; these tests use the public functions.
#include <cmath>
#include <gtest/gtest.h>

#include <espalier/expr/cell.h>
#include "law/op/laws.h"

namespace espalier::law {
namespace ESPALIER_FILE {

// The first four tests are cases that DyNet gets wrong.
class PublicKey : public testing::TestWithParam<Device> {
 protected:
  void expect(Expr x, std::initializer_list<double> values) {
    const Tensor t = engine.tensor(x);
    ASSERT_EQ(t.size(), values.size());
    size_t i = 0;
    for (double v : values) EXPECT_NEAR(static_cast<double>(t[i++]), v, 1e-6);
  }
  Expr row(std::vector<float> data, Shape shape) { return input(graph, data, shape); }
  // Computes all results in one round, so only the key separates them.
  uint64_t steps(std::initializer_list<Expr> results) {
    const std::vector<Expr> all(results);
    engine.reset_counters();
    (void)engine.tensors(all);
    return engine.counters().steps;
  }
  Engine engine{on(GetParam())};
  Graph graph = engine.graph();
};

TEST_P(PublicKey, relu_and_elu) {
  const Expr x = row({-1, 2}, {2}), y = row({-0.5f, 3}, {2});
  const Expr a = relu(x), b = elu(x), c = relu(y), d = elu(y);
  EXPECT_EQ(steps({a, b, c, d}), 3u) << "inputs, relu, elu";
  expect(a, {0, 2});
  expect(b, {std::expm1(-1), 2});
  expect(c, {0, 3});
  expect(d, {std::expm1(-0.5), 3});
}

// Outside a cell, numeric arguments are data of the call: calls with different numbers run in one step.
TEST_P(PublicKey, elu_of_two_alphas) {
  const Expr x = row({-1, 2}, {2});
  const Expr a = elu(x, 1), b = elu(x, 3), c = elu(x, 1);
  EXPECT_EQ(steps({a, b, c}), 2u);
  expect(a, {std::expm1(-1), 2});
  expect(b, {3 * std::expm1(-1), 2});
  expect(c, {std::expm1(-1), 2});
}

TEST_P(PublicKey, softmax_over_two_axes) {
  const Expr x = row({0, 1, 2, 3}, {2, 2});
  const Expr a = softmax(x, 0), b = softmax(x, 1), c = softmax(x, -1);
  EXPECT_EQ(steps({a, b, c}), 3u) << "-1 is 1";
  const double p1 = 1 / (1 + std::exp(1)), p2 = 1 / (1 + std::exp(2));
  expect(a, {p2, p2, 1 - p2, 1 - p2});
  expect(b, {p1, 1 - p1, p1, 1 - p1});
  expect(c, {p1, 1 - p1, p1, 1 - p1});
}

TEST_P(PublicKey, concat_over_two_axes) {
  const std::vector<Expr> rows{row({0, 1, 2, 3}, {2, 2}), row({4, 5, 6, 7}, {2, 2})};
  const Expr a = concat(rows, 0), b = concat(rows, 1);
  EXPECT_EQ(steps({a, b}), 3u);
  EXPECT_EQ(str(a.shape()), "[4,2]");
  EXPECT_EQ(str(b.shape()), "[2,4]");
  expect(a, {0, 1, 2, 3, 4, 5, 6, 7});
  expect(b, {0, 1, 4, 5, 2, 3, 6, 7});
}

// An LSTM's c and h are two outputs of one cell; a key based on the producer alone would mix them up.
TEST_P(PublicKey, two_outputs_of_one_cell) {
  struct Pair {
    Expr h, c;
  };
  Parameters params;
  const auto cell = Scope(params).cell("pair", {{2}}, [](Expr x) -> Pair { return {x + 1, x * 10}; });
  const Pair p = cell(row({1, 2}, {2})), q = cell(row({3, 4}, {2}));
  const Expr a = tanh(p.h * 0), b = p.c + q.h, c = q.c + p.h;
  EXPECT_EQ(steps({a, b, c}), 5u) << "inputs, pair, mul, tanh, add";
  expect(b, {14, 25});
  expect(c, {32, 43});
}

// Different shared operands may have equal values.
TEST_P(PublicKey, parameters_of_equal_values) {
  Parameters params;
  const Parameter v = Scope(params).add("v", {2}, init::constant(1)),
                  w = Scope(params).add("w", {2}, init::constant(1));
  const Expr x = row({1, 2}, {2});
  const Expr a = sum_elements(x * v), b = sum_elements(x * w) * 2;
  Gradients gradients = engine.backward(std::array{a, b});
  EXPECT_EQ(gradients.of(v).to_vector(), (std::vector<float>{1, 2}));
  EXPECT_EQ(gradients.of(w).to_vector(), (std::vector<float>{2, 4}));
}

// The same inside cells: two cells with one name are equal only if they compute the same.
TEST_P(PublicKey, cells) {
  Parameters params;
  auto cell = [&](auto f) { return Scope(params).cell("c", {{2, 2}}, [&](Expr x) -> Expr { return f(x); }); };
  const std::vector<Cell<Expr(Expr)>> cells{cell([](Expr x) { return relu(x); }),
                                            cell([](Expr x) { return elu(x); }),
                                            cell([](Expr x) { return elu(x, 3); }),
                                            cell([](Expr x) { return softmax(x, 0); }),
                                            cell([](Expr x) { return softmax(x, 1); }),
                                            cell([](Expr x) { return concat(std::array{x, x}, 0); }),
                                            cell([](Expr x) { return concat(std::array{x, x}, 1); }),
                                            cell([](Expr x) { return x * 2; }),
                                            cell([](Expr x) { return x * 3; }),
                                            cell([](Expr x) { return x + x * 2; }),
                                            cell([](Expr x) { return x - x * 2; })};
  for (size_t i = 0; i < cells.size(); ++i)
    for (size_t k = 0; k < i; ++k) EXPECT_NE(cells[i].program(), cells[k].program()) << i << " and " << k;
  EXPECT_EQ(cells[0].program(), cell([](Expr x) { return relu(x); }).program());
  EXPECT_EQ(cells[2].program(), cell([](Expr x) { return elu(x, 3.f); }).program());
  // Duplicate and unused computations make no difference.
  EXPECT_EQ(cells[9].program(), cell([](Expr x) {
                                  const Expr y = x * 2;
                                  (void)tanh(y);
                                  return x + x * 2;
                                }).program());

  const Expr x = row({0, -1, 2, 3}, {2, 2});
  std::vector<Expr> results;
  for (const auto& c : cells) results.push_back(c(x));
  const auto values = engine.tensors(results);
  for (size_t i = 0; i < cells.size(); ++i) {
    Graph alone = engine.graph();
    EXPECT_EQ(engine.tensor(cells[i](input(alone, std::vector<float>{0, -1, 2, 3}, {2, 2}))).to_vector(),
              values[i].to_vector())
        << i;
  }
}

// A Number is data: calls with different numbers run in one step.
TEST_P(PublicKey, a_number_is_no_part_of_the_key) {
  const Expr x = row({1, 2}, {2});
  const Expr a = x * 3, b = x * 5;
  EXPECT_EQ(steps({a, b}), 2u);
  expect(a, {3, 6});
  expect(b, {5, 10});
}

INSTANTIATE_TEST_SUITE_P(, PublicKey, testing::Values(Device::ref(), Device::cpu()),
                         [](const auto& c) { return str(c.param); });

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
