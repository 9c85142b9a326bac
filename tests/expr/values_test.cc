// Values of composed functions against NumPy. A law compares an op with itself and would not detect a wrong formula.
#include <cmath>
#include <gtest/gtest.h>

#include <espalier/espalier.h>

namespace espalier {
namespace ESPALIER_FILE {

class Values : public testing::TestWithParam<Device> {
 protected:
  Expr row(std::vector<float> data) { return input(graph, data, {static_cast<int>(data.size())}); }
  Expr matrix() { return input(graph, std::vector<float>{1, 2, 4, -1, 0.5f, 0.25f}, {2, 3}); }
  void expect(Expr y, std::vector<double> values) {
    const Tensor got = engine.tensor(y);
    ASSERT_EQ(got.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(static_cast<double>(got[i]), values[i], 2e-6 * std::max(1.0, std::abs(values[i]))) << i;
  }
  Engine engine{{.device = GetParam()}};
  Graph graph = engine.graph();
  Expr x = row({0.5f, -1.25f, 2}), t = row({0.25f, 0.5f, 0.75f});
};

TEST_P(Values, distances) {
  expect(mse_loss(x, t), {1.5625});
  expect(squared_distance(x, t), {4.6875});
  expect(l1_loss(x, t), {3.25 / 3});
  expect(l1_distance(x, t), {3.25});
  expect(huber_loss(x, t, 0.5f), {0.42708333});
  expect(huber_distance(x, t, 0.5f), {1.28125});
  expect(squared_distance(x, 0.5f), {3.0625 + 2.25});
}

TEST_P(Values, losses_of_predictions) {
  expect(binary_cross_entropy(row({0.2f, 0.5f, 0.9f}), t), {0.639176994});
  expect(binary_cross_entropy_with_logits(x, t), {0.784311359});
  expect(poisson_loss(x, t), {8.020826971});
  const Expr log_p = log(row({0.2f, 0.3f, 0.5f}));
  expect(kl_div(log_p, row({0, 0.25f, 0.75f})), {0.258518442});
  expect(nll_loss(log_p, 1), {-std::log(0.3)});
  expect(hinge(x, 0), {2.5});
  expect(pairwise_rank_loss(x, t), {3.5});
}

// A confident wrong prediction has a large but finite loss; a confident right one has gradient 0.
TEST_P(Values, certainties) {
  const Expr p = row({0, 1, 1});
  engine.watch(p);
  const Expr loss = binary_cross_entropy(p, row({0, 1, 0}));
  expect(loss, {30 * std::log(10.0) / 3});
  const std::vector<float> gradient = engine.backward(loss).of(p).to_vector();
  for (float g : gradient) EXPECT_TRUE(std::isfinite(g)) << g;
  const Expr beyond = row({2});
  engine.watch(beyond);
  EXPECT_TRUE(std::isfinite(engine.backward(binary_cross_entropy(beyond, row({1}))).of(beyond)[0]));
  expect(kl_div(log(row({0, 1})), row({0, 1})), {0});
  const Expr q = row({0, 1});
  engine.watch(q);
  EXPECT_TRUE(std::isfinite(engine.backward(kl_div(row({-1, -2}), q)).of(q)[0]));
}

TEST_P(Values, moments) {
  const Expr m = matrix();
  expect(var_elements(m), {2.453125});
  expect(std_elements(m), {1.566245511});
  expect(var_axis(m, 0), {1, 0.5625, 3.515625});
  expect(std_axis(m, -1), {1.247219129, 0.656167323});
  expect(moment_elements(m, 3), {12.0234375});
  expect(moment_axis(m, 3, 1), {24.33333333, -0.286458333});
}

TEST_P(Values, norms) {
  const Expr m = matrix();
  Parameters params;
  const Parameter weight = Scope(params).add("w", {3}, init::from({1, 2, -1})),
                  bias = Scope(params).add("b", {3}, init::from({0, 1, 0.5f}));
  expect(layer_norm(m), {-1.06904153, -0.26726038, 1.33630191, -1.39698517, 0.88899057, 0.50799461});
  expect(layer_norm(m, weight, bias),
         {-1.06904153, 1 - 2 * 0.26726038, 0.5 - 1.33630191, -1.39698517, 1 + 2 * 0.88899057, 0.5 - 0.50799461});
  expect(rms_norm(m), {0.3779642, 0.75592841, 1.51185681, -1.51184061, 0.75592031, 0.37796015});
  expect(rms_norm(row({3, 4}), {}, 0.5f), {3 / std::sqrt(13.0), 4 / std::sqrt(13.0)});
  expect(l2_norm(m), {4.723610907});
  expect(squared_norm(m), {22.3125});
  expect(weight_norm(m, 2.f), {0.4234049, 0.8468098, 1.6936196, -0.4234049, 0.21170245, 0.10585122});
}

TEST_P(Values, norms_at_zero_have_the_slope_zero) {
  for (auto f : {+[](Expr v) { return l2_norm(v); }, +[](Expr v) { return std_elements(v); },
                 +[](Expr v) { return sum_elements(layer_norm(v)); }}) {
    const Expr zero = row({0, 0, 0});
    engine.watch(zero);
    for (float g : engine.backward(f(zero)).of(zero)) EXPECT_NEAR(g, 0, 2e-5f);  // 1/3 is not exact in float
  }
}

TEST_P(Values, contractions) {
  Parameters params;
  std::vector<float> w(12);
  for (size_t i = 0; i < w.size(); ++i) w[i] = 0.25f * static_cast<float>(i);
  const Parameter W = Scope(params).add("W", {2, 2, 3}, init::from(w));
  const Expr a = row({1, -2}), b = row({0.5f, 1, 2});
  expect(bilinear(a, b, W), {-6.5, -11.75});
  expect(bilinear(a, b, input(graph, w, {2, 2, 3})), {-6.5, -11.75});
  expect(outer(a, b), {0.5, 1, 2, -1, -2, -4});
  expect(trace_of_product(matrix(), matrix()), {22.3125});
  expect(add_columns(matrix(), a), {2, 3, 5, -3, -1.5, -1.75});
  const Parameter U = Scope(params).add("U", {2, 2}, init::from({1, 0, 0, 2}));
  expect(affine(row({10, 20}), {{U, a}, {matrix(), b}}), {10 + 1 + 0.5 + 2 + 8, 20 - 4 - 0.5 + 0.5 + 0.5});
}

TEST_P(Values, attention_over_rows) {
  struct Pair {
    Expr key, value;
  };
  Parameters params;
  const auto attend = Scope(params).cell("attend", {{2}, {2}}, [](Expr q, Many<Pair> rows) {
    return attention(q, rows[&Pair::key], slice(rows[&Pair::value], 0, 1));
  });
  const std::vector<Pair> rows{{row({1, 2}), row({1, 0})}, {row({0, 1}), row({2, 0})}, {row({-1, 0.5f}), row({4, 0})}};
  expect(attend(row({1, 0.5f}), rows), {1.52064408});
  expect(attend(graph, row({1, 0.5f}), std::vector<Pair>{}), {0});
}

INSTANTIATE_TEST_SUITE_P(, Values, testing::Values(Device::ref(), Device::cpu()),
                         [](const auto& c) { return str(c.param); });

// Random rows have the requested mean and spread, and depend on the example.
TEST(Random, numbers_are_of_their_kind) {
  Engine engine;
  auto moments = [&](auto draw) {
    Graph g = engine.graph(Mode::infer);
    g.example(3);
    const Tensor t = engine.tensor(draw(g));
    double sum = 0, squares = 0;
    for (float v : t) sum += static_cast<double>(v), squares += static_cast<double>(v) * static_cast<double>(v);
    const double n = static_cast<double>(t.size());
    return std::pair(sum / n, std::sqrt(squares / n - sum / n * sum / n));
  };
  const Shape many{40000};
  const auto [normal_mean, normal_sd] = moments([&](Graph& g) { return random_normal(g, many, 1, 2); });
  EXPECT_NEAR(normal_mean, 1, 0.04);
  EXPECT_NEAR(normal_sd, 2, 0.03);
  const auto [uniform_mean, uniform_sd] = moments([&](Graph& g) { return random_uniform(g, many, -1, 3); });
  EXPECT_NEAR(uniform_mean, 1, 0.03);
  EXPECT_NEAR(uniform_sd, 4 / std::sqrt(12.0), 0.02);
  const auto [coin_mean, coin_sd] = moments([&](Graph& g) { return random_bernoulli(g, many, 0.25f, 2); });
  EXPECT_NEAR(coin_mean, 0.5, 0.02);
  EXPECT_NEAR(coin_sd, 2 * std::sqrt(0.1875), 0.02);
  const auto [gumbel_mean, gumbel_sd] = moments([&](Graph& g) { return random_gumbel(g, many, 1, 2); });
  EXPECT_NEAR(gumbel_mean, 1 + 2 * 0.57721566, 0.05);
  EXPECT_NEAR(gumbel_sd, 2 * 3.14159265 / std::sqrt(6.0), 0.06);
}

TEST(Random, dropout_drops_what_it_says) {
  Engine engine;
  Graph g = engine.graph();
  const Expr ones = full(g, {6, 4}, 1);
  auto data = [&](Expr y) { return engine.tensor(y).to_vector(); };
  const std::vector<float> by_column = data(dropout_axis(ones, 0.5f, 0)), by_block = data(dropout_block(ones, 0.5f, 8)),
                           by_row = data(dropout_row(ones, 0.5f));
  for (size_t i = 0; i < 24; ++i) {
    EXPECT_TRUE(by_column[i] == 0 || by_column[i] == 2);
    EXPECT_EQ(by_column[i], by_column[i % 4]);
    EXPECT_EQ(by_block[i], by_block[i / 8 * 8]);
    EXPECT_EQ(by_row[i], by_row[0]);
  }
  // In at least one example, not all are equal.
  bool columns_differ = false, blocks_differ = false, rows_differ = false;
  for (uint64_t example = 0; example < 20; ++example) {
    g.example(example);
    const Expr x = full(g, {6, 4}, 1);
    const std::vector<float> c = data(dropout_axis(x, 0.5f, 0)), b = data(dropout_block(x, 0.5f, 8));
    columns_differ = columns_differ || c[0] != c[1];
    blocks_differ = blocks_differ || b[0] != b[8];
    rows_differ = rows_differ || data(dropout_row(x, 0.5f))[0] != by_row[0];
  }
  EXPECT_TRUE(columns_differ && blocks_differ && rows_differ);

  Graph calm = engine.graph(Mode::infer);
  const Expr x = full(calm, {6, 4}, 1);
  for (Expr y : {dropout_axis(x, 0.5f, 0), dropout_block(x, 0.5f, 8), dropout_row(x, 0.5f), gaussian_noise(x, 3)})
    EXPECT_EQ(data(y), std::vector<float>(24, 1));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
