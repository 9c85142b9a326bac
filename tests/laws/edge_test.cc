// Edge cases: more rows than a call accepts, empty inputs, values that survive a revert, gradients nobody requests.
#include <gtest/gtest.h>
#include <espalier/espalier.h>

#include "law/op/laws.h"

namespace espalier::law {
namespace ESPALIER_FILE {

class Edge : public testing::TestWithParam<Device> {
 protected:
  Expr row(std::vector<float> data) { return input(graph, data, {static_cast<int>(data.size())}); }
  Engine engine{on(GetParam())};
  Graph graph = engine.graph();
  Parameters params{1};
  Scope scope{params};
};

TEST_P(Edge, concat_of_more_rows_than_a_call_takes) {
  std::vector<Expr> rows;
  std::vector<float> all;
  for (int i = 0; i < 100; ++i) {
    rows.push_back(row({static_cast<float>(i), static_cast<float>(-i)}));
    all.insert(all.end(), {static_cast<float>(i), static_cast<float>(-i)});
    engine.watch(rows.back());
  }
  const Expr y = concat(rows);
  EXPECT_EQ(engine.tensor(y).to_vector(), all);
  const Gradients gradients = engine.backward(sum_elements(y * input(graph, all, {200})));
  for (size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(gradients.of(rows[i]).to_vector(), (std::vector<float>{all[2 * i], all[2 * i + 1]}));

  // A failed concat records nothing.
  rows.push_back(input(graph, std::vector<float>(4), {2, 2}));
  const size_t calls = graph.calls();
  EXPECT_THROW((void)concat(rows), ShapeError);
  EXPECT_EQ(graph.calls(), calls);
  EXPECT_EQ(engine.tensor(y).to_vector(), all);
}

TEST_P(Edge, a_group_outlives_reverts_of_what_came_after_it) {
  const auto add_all =
      scope.cell("add_all", {{2}, {2}}, [](Expr q, Many<Expr> xs) -> Expr { return q + sum_rows(xs); });
  const std::vector<Expr> items{row({1, 2}), row({3, 4})};
  const Expr q = row({10, 20});
  const Many<Expr> first = group(graph, items);
  const Graph::Mark mark = graph.mark();
  const Many<Expr> second = group(graph, items);
  (void)add_all(q, second);
  graph.revert(mark);
  EXPECT_EQ(engine.tensor(add_all(q, first)).to_vector(), (std::vector<float>{14, 26}));
  EXPECT_THROW((void)add_all(q, second), GraphError);
  // A new group with the number of a reverted one is a different group.
  const Many<Expr> third = group(graph, items);
  EXPECT_THROW((void)add_all(q, second), GraphError);
  EXPECT_EQ(engine.tensor(add_all(q, third)).to_vector(), (std::vector<float>{14, 26}));
  graph.revert(mark);
  EXPECT_EQ(engine.tensor(add_all(q, first)).to_vector(), (std::vector<float>{14, 26}));
  EXPECT_THROW((void)add_all(q, third), GraphError);
}

TEST_P(Edge, a_watch_ends_with_its_value) {
  const Expr x = row({1, 2});
  engine.watch(x);
  const Graph::Mark mark = graph.mark();
  const Expr y = tanh(x);
  engine.watch(y);
  graph.revert(mark);
  const Gradients gradients = engine.backward(sum_elements(x * 3));
  EXPECT_EQ(gradients.of(x).to_vector(), (std::vector<float>{3, 3}));
  EXPECT_THROW((void)gradients.of(y), GraphError);

  for (int i = 0; i < 100; ++i) engine.watch(row({1}));
  graph.clear();
  const Expr z = row({2});
  engine.watch(z);
  EXPECT_EQ(engine.backward(sum_elements(z * z)).of(z).to_vector(), (std::vector<float>{4}));
}

TEST_P(Edge, matrices_without_elements) {
  const Parameter none = scope.add("none", {0, 2}), thin = scope.add("thin", {3, 0});
  const Expr x = row({1, 2}), empty = row({});
  engine.watch(x);
  engine.watch(empty);
  const Expr y = linear(empty, thin);
  EXPECT_EQ(engine.tensor(y).to_vector(), (std::vector<float>{0, 0, 0}));
  const Gradients gradients = engine.backward(std::array{sum_elements(linear(x, none)), sum_elements(y)});
  EXPECT_EQ(gradients.of(x).to_vector(), (std::vector<float>{0, 0}));
  EXPECT_TRUE(gradients.of(empty).empty());
  EXPECT_TRUE(gradients.of(none).empty());
  EXPECT_TRUE(gradients.of(thin).empty());
  EXPECT_EQ(engine.value(sum_elements(empty)), 0);
  EXPECT_EQ(engine.value(mean_elements(empty)), 0);
}

// The gradients of the row and of the bias are equal, and only that of the bias is requested.
TEST_P(Edge, a_bias_beside_a_row_that_wants_nothing) {
  const Parameter b = scope.add("b", {2}, init::constant(0)), W = scope.add("W", {2, 2}, init::from({1, 0, 0, 1}));
  const auto biased = scope.cell("biased", {{2}}, [&](Expr x) { return square(x + b); });
  EXPECT_EQ(engine.backward(sum_elements(biased(row({1, 2})))).of(b).to_vector(), (std::vector<float>{2, 4}));
  const auto product = scope.cell("product", {{2}, {2}}, [&](Expr x, Expr y) { return linear(x * y, W); });
  EXPECT_EQ(engine.backward(sum_elements(product(row({1, 2}), row({3, 4})))).of(W).to_vector(),
            (std::vector<float>{3, 8, 3, 8}));
}

// More gradients than a machine word has bits.
TEST_P(Edge, a_cell_of_many_parameters) {
  std::vector<Parameter> ps;
  for (int i = 0; i < 80; ++i)
    ps.push_back(scope.add("p" + std::to_string(i), {1}, init::constant(static_cast<float>(i))));
  const auto cell = scope.cell("many", {{1}}, [&](Expr x) -> Expr {
    Expr y = x;
    for (const Parameter& p : ps) y = y + p * x;
    return y;
  });
  const Expr x = row({2});
  engine.watch(x);
  ps[3].freeze();
  ps[79].freeze();
  const Gradients gradients = engine.backward(sum_elements(cell(x)));
  EXPECT_EQ(gradients.of(x).item(), 1 + 79 * 80 / 2);
  for (size_t i = 0; i < ps.size(); ++i) EXPECT_EQ(gradients.of(ps[i]).item(), ps[i].frozen() ? 0 : 2) << i;
}

TEST_P(Edge, negative_axes_count_from_the_end) {
  const Expr x = input(graph, std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(str(sum_axis(x, -1).shape()), "[2]");
  EXPECT_EQ(str(sum_axis(x, -2).shape()), "[3]");
  EXPECT_EQ(str(slice(x, 0, 1, -1).shape()), "[2,1]");
  EXPECT_EQ(str(pad(x, 1, 0, -1).shape()), "[2,4]");
  EXPECT_EQ(str(broadcast(x, -1, 4).shape()), "[2,3,4]");
  EXPECT_EQ(str(broadcast(x, -3, 4).shape()), "[4,2,3]");
  EXPECT_EQ(str(concat(std::array{x, x}, -1).shape()), "[2,6]");
}

TEST_P(Edge, numbers_and_integers_beside_a_list) {
  const Lookup table = scope.add_lookup("table", 3, {2}, init::from({1, 2, 3, 4, 5, 6}));
  const auto cell = scope.cell("weigh", {{}, {}, {2}}, [&](Number n, Index i, Many<Expr> xs) -> Expr {
    return sum_rows(Expr(xs) * n * lookup(table, i)) + pick(sum_rows(xs), i);
  });
  const std::vector<Expr> xs{row({1, 2}), row({3, 4})}, none;
  const Expr y = cell(2.f, 1, xs), z = cell(graph, 5.f, 0, none);
  EXPECT_EQ(engine.tensor(y).to_vector(), (std::vector<float>{2 * 4 * 3 + 6, 2 * 6 * 4 + 6}));
  EXPECT_EQ(engine.tensor(z).to_vector(), (std::vector<float>{0, 0}));
  const Gradients gradients = engine.backward(std::array{sum_elements(y), sum_elements(z)});
  EXPECT_EQ(gradients.of(table).to_vector(), (std::vector<float>{0, 0, 8, 12, 0, 0}));
}

// A table that is also used as a matrix (a tied softmax) has one gradient for both uses.
TEST_P(Edge, a_table_that_is_a_matrix) {
  const Lookup table = scope.add_lookup("table", 3, {2}, init::from({1, 2, 3, 4, 5, 6}));
  const Expr x = lookup(graph, table, 1);
  const Gradients apart = engine.backward(sum_elements(x * x));
  EXPECT_EQ(apart.of(table).to_vector(), (std::vector<float>{0, 0, 6, 8, 0, 0}));
  const Expr scores = linear(x, table);
  const Gradients tied = engine.backward(pick(scores, 2));
  EXPECT_EQ(engine.tensor(scores).to_vector(), (std::vector<float>{11, 25, 39}));
  EXPECT_EQ(tied.of(table).to_vector(), (std::vector<float>{0, 0, 5, 6, 3, 4}));
}

// Rows of a table that are in both gradients or in only one.
TEST_P(Edge, gradients_of_a_table_add_up) {
  const Lookup table = scope.add_lookup("table", 6, {2}, init::constant(1));
  auto gradients = [&](std::vector<int> rows) {
    std::vector<Expr> losses;
    for (int i : rows) losses.push_back(sum_elements(lookup(graph, table, i) * static_cast<float>(i + 1)));
    return engine.backward(losses);
  };
  Gradients sum = gradients({1, 3, 4});
  sum += gradients({0, 3, 5});
  EXPECT_EQ(sum.of(table).to_vector(), (std::vector<float>{1, 1, 2, 2, 0, 0, 8, 8, 5, 5, 6, 6}));
  sum += gradients({});
  sum += gradients({2});
  EXPECT_EQ(sum.of(table).to_vector(), (std::vector<float>{1, 1, 2, 2, 3, 3, 8, 8, 5, 5, 6, 6}));
  Gradients from_nothing = gradients({});
  from_nothing += std::move(sum);
  EXPECT_EQ(from_nothing.of(table).to_vector(), (std::vector<float>{1, 1, 2, 2, 3, 3, 8, 8, 5, 5, 6, 6}));
  EXPECT_FLOAT_EQ(from_nothing.loss().get(), 2 * (2 + 4 + 5 + 1 + 4 + 6 + 3));
}

// Several threads use an op for the first time concurrently, with a table whose gradient becomes dense.
TEST_P(Edge, an_op_met_by_several_threads) {
  const Lookup table = scope.add_lookup("table", 3, {2}, init::from({1, 2, 3, 4, 5, 6}));
  EngineOptions options = on(GetParam());
  options.threads = 3;
  Engine three(options);
  const std::vector<int> rows{0, 1, 2, 0, 1, 2, 0, 1, 2};
  auto batch = three.record(rows, [&](Graph& g, int i) { return sum_elements(linear(lookup(g, table, i), table)); });
  const Gradients gradients = three.backward(batch.results);
  // The loss is 3 Σ_ij t_i · t_j, so the gradient of each row is 6 times the sum of all rows.
  EXPECT_EQ(gradients.of(table).to_vector(), (std::vector<float>{54, 72, 54, 72, 54, 72}));
}

TEST_P(Edge, no_examples) {
  EngineOptions options = on(GetParam());
  options.threads = 3;
  Engine three(options);
  const std::vector<int> none;
  auto batch = three.record(none, [](Graph& g, int x) { return input(g, static_cast<float>(x)); });
  EXPECT_TRUE(batch.results.empty());
  EXPECT_EQ(three.backward(batch.results).loss().get(), 0);
  EXPECT_TRUE(three.infer(batch).empty());
  EXPECT_EQ(three.explain(batch), "0 calls\n");
}

// A result may be a leaf, may repeat, and may be an operand of later calls.
TEST_P(Edge, results_that_others_read) {
  using Results = std::vector<Expr>;
  auto batch = engine.record(std::array{1.f, 2.f}, [](Graph& g, float v) {
    const Expr x = input(g, v), y = x * 10, z = y + x;
    return Results{z, x, y, y, tanh(z * 0)};
  });
  const auto values = engine.infer(batch);
  for (size_t i = 0; i < 2; ++i) {
    const float v = static_cast<float>(i + 1);
    std::vector<float> items;
    for (const Tensor& t : values[i]) items.push_back(t.item());
    EXPECT_EQ(items, (std::vector<float>{11 * v, v, 10 * v, 10 * v, 0}));
  }
}

// One parameter used in two shapes, with enough rows that the CPU stores a transposed copy.
TEST_P(Edge, a_parameter_seen_in_two_shapes) {
  const Parameter W = scope.add("W", {32, 16, 16});
  const auto both = scope.cell("both", {{16}, {16, 20}}, [&](Expr a, Expr x) {
    return sum_elements(tanh(bilinear(a, a, W))) + sum_elements(tanh(conv1d(x, W)));
  });
  auto run = [&](Device device) {
    Engine one({.device = device});
    Graph g = one.graph();
    std::vector<Expr> losses;
    for (int i = 0; i < 100; ++i)
      losses.push_back(both(full(g, {16}, 0.01f * static_cast<float>(i)), full(g, {16, 20}, 0.2f)));
    const Gradients gradients = one.backward(losses);
    return std::pair(gradients.loss().get(), gradients.of(W));
  };
  const auto [loss, gradient] = run(GetParam());
  const auto [true_loss, true_gradient] = run(Device::ref());
  EXPECT_NEAR(loss, true_loss, 1e-3f * std::abs(true_loss));
  for (size_t e = 0; e < gradient.size(); e += 97)
    EXPECT_NEAR(gradient[e], true_gradient[e], 1e-3f * std::max(1.f, std::abs(true_gradient[e]))) << e;
}

TEST_P(Edge, more_operands_than_a_call_takes) {
  const Expr x = row({1});
  const std::pair<Operand, Operand> p{input(graph, std::vector<float>{1}, {1, 1}), x};
  const size_t calls = graph.calls();
  EXPECT_THROW(affine(x, {p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p}), ShapeError);
  EXPECT_EQ(graph.calls(), calls);
}

TEST_P(Edge, k_largest_with_a_nan_are_k) {
  const Tensor y = engine.tensor(kmax_pooling(row({1, std::nanf(""), 2}), 3));
  EXPECT_EQ(y[0], 1);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], 2);
}

TEST_P(Edge, a_maximum_over_nothing_is_refused) {
  EXPECT_THROW(max_pool1d(zeros(graph, {1, 0}), 2, {}, 1), ShapeError);
}

INSTANTIATE_TEST_SUITE_P(, Edge, testing::Values(Device::ref(), Device::cpu()),
                         [](const auto& c) { return str(c.param); });

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
