// The results of one call share a block, and equal shapes can be had as one tensor.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include <espalier/espalier.h>

namespace espalier::test {
namespace ESPALIER_FILE {

using Floats = std::vector<float>;

struct Examples {
  explicit Examples(int n) : numbers(static_cast<size_t>(n)) { std::iota(numbers.begin(), numbers.end(), 0.f); }
  auto recorded(Engine& engine) const {
    return engine.record(numbers, [](Graph& g, float x) { return input(g, Floats{x, -x}, {2}) * 2; },
                         {.mode = Mode::infer});
  }
  Floats expected() const {
    Floats all;
    for (const float x : numbers) all.insert(all.end(), {2 * x, -2 * x});
    return all;
  }
  Floats numbers;
};

TEST(Stack, is_a_matrix_of_rows) {
  const Examples examples(5);
  for (const Device device : {Device::cpu(), Device::ref()})
    for (const int threads : {1, 3}) {
      Engine engine({.device = device, .threads = threads});
      const auto batch = examples.recorded(engine);
      const Tensor rows = engine.stack(batch.results), inferred = engine.infer_stacked(batch);
      EXPECT_EQ(rows.shape(), (Shape{5, 2}));
      EXPECT_EQ(rows.to_vector(), examples.expected());
      EXPECT_EQ(inferred.shape(), (Shape{5, 2}));
      EXPECT_EQ(inferred.to_vector(), examples.expected());
      EXPECT_THROW(engine.tensors(batch.results), GraphError) << "the graph is closed";
    }
}

TEST(Stack, of_scalars_is_a_vector_and_of_nothing_is_empty) {
  Engine engine;
  Graph g = engine.graph();
  std::vector<Expr> xs;
  for (int i = 0; i < 3; ++i) xs.push_back(input(g, static_cast<float>(i)));
  xs.push_back(xs[1]);
  EXPECT_EQ(engine.stack(xs).shape(), (Shape{4}));
  EXPECT_EQ(engine.stack(xs).to_vector(), (Floats{0, 1, 2, 1}));
  const Expr deep = full(g, {1, 1, 1, 1, 2}, 3);
  EXPECT_EQ(engine.stack({&deep, 1}).shape(), (Shape{1, 1, 1, 1, 1, 2}));
  const Expr no_elements = full(g, {0}, 1);
  EXPECT_EQ(engine.stack(std::vector<Expr>{no_elements, no_elements}).shape(), (Shape{2, 0}));
  EXPECT_EQ(engine.stack({}).shape(), (Shape{0}));
  const auto none = engine.record(std::vector<int>(), [](Graph& graph, int) { return ones(graph, {2}); });
  EXPECT_EQ(engine.infer_stacked(none).shape(), (Shape{0}));
  EXPECT_TRUE(engine.infer(none).empty());
}

// Values of several graphs in an order that alternates between them.
TEST(Stack, keeps_the_order_of_the_values) {
  Engine engine;
  Graph g = engine.graph(), h = engine.graph();
  const std::vector<Expr> xs{input(h, Floats{1, 2}, {2}), input(g, Floats{3, 4}, {2}), input(h, Floats{5, 6}, {2})};
  EXPECT_EQ(engine.stack(xs).to_vector(), (Floats{1, 2, 3, 4, 5, 6}));
  const std::vector<Tensor> each = engine.tensors(xs);
  EXPECT_EQ(each[1].to_vector(), (Floats{3, 4}));
  EXPECT_EQ(each[2].to_vector(), (Floats{5, 6}));
}

TEST(Stack, results_share_one_block) {
  const Examples examples(4);
  for (const int threads : {1, 2}) {
    Engine engine({.threads = threads});
    const auto batch = examples.recorded(engine);
    const std::vector<Tensor> results = engine.tensors(batch.results);
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].owner(), results[0].owner());
      EXPECT_EQ(results[i].data(), results[0].data() + 2 * i);
    }
  }
}

// One result is enough to keep the block; a clone does not keep it.
TEST(Stack, results_outlive_batch_graph_and_engine) {
  const Examples examples(3);
  std::optional<Engine> engine(std::in_place, EngineOptions{.threads = 2});
  auto batch = std::make_optional(examples.recorded(*engine));
  auto pending = engine->start(examples.recorded(*engine));
  std::vector<Tensor> results = engine->tensors(batch->results);
  const Tensor rows = engine->stack(batch->results);
  Tensor last = results[2];
  const Tensor clone = last.clone();
  const std::weak_ptr<const void> block = last.owner();
  results.clear();
  batch.reset();
  engine.reset();
  EXPECT_EQ(last.to_vector(), (Floats{4, -4}));
  EXPECT_EQ(rows.to_vector(), examples.expected());
  EXPECT_EQ(pending.get()[1].to_vector(), (Floats{2, -2}));
  last = {};
  EXPECT_TRUE(block.expired());
  EXPECT_EQ(clone.to_vector(), (Floats{4, -4}));
}

TEST(Stack, gradients_and_values_are_snapshots) {
  Parameters params(1);
  Parameter p = Scope(params).add("p", {2}, init::constant(1));
  Engine engine;
  Graph g = engine.graph();
  const Expr x = row(g, p) * 3;
  engine.watch(x);
  Gradients gradients = engine.backward(sum_elements(x));
  const Tensor value = p.value(), of_p = gradients.of(p), of_x = gradients.of(x);
  EXPECT_EQ(gradients.of(x).data(), of_x.data()) << "a watched gradient is shared";
  gradients *= 2;
  p.assign({{2}, {5, 6}});
  EXPECT_EQ(value.to_vector(), (Floats{1, 1}));
  EXPECT_EQ(of_p.to_vector(), (Floats{3, 3}));
  EXPECT_EQ(of_x.to_vector(), (Floats{1, 1}));
  EXPECT_EQ(gradients.of(p).to_vector(), (Floats{6, 6}));
  EXPECT_EQ(gradients.of(x).to_vector(), (Floats{2, 2}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
