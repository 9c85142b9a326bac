// Counts: products for weight gradients, growth of the arena, allocations.
#include <gtest/gtest.h>

#include <memory>

#include <espalier/espalier.h>
#include "support/allocations.h"

namespace espalier::test {
namespace ESPALIER_FILE {

struct Tree {
  int word = 0;
  std::unique_ptr<Tree> left, right;
};
std::unique_ptr<Tree> tree(int leaves, int word) {
  auto t = std::make_unique<Tree>(Tree{word % 20, {}, {}});
  if (leaves == 1) return t;
  const int left = 1 + (leaves - 1) * 2 / 5;
  t->left = tree(left, word * 3 + 1);
  t->right = tree(leaves - left, word * 5 + 2);
  return t;
}

struct TreeModel {
  nn::Embedding words;
  nn::TreeLSTM lstm;
  nn::Linear out;
  explicit TreeModel(Scope p) : words(p / "words", 20, 6), lstm(p / "lstm", 6, 5), out(p / "out", 5, 3) {}
  nn::State encode(Graph& g, const Tree& t) const {
    if (!t.left) return lstm.leaf(words(g, t.word));
    const nn::State left = encode(g, *t.left), right = encode(g, *t.right);
    return lstm.node(left, right);
  }
  Expr loss(Graph& g, const Tree& t) const { return cross_entropy(out(encode(g, t).h), t.word % 3); }
};

struct ChainModel {
  nn::Embedding words;
  nn::LSTM lstm;
  nn::Linear out;
  explicit ChainModel(Scope p) : words(p / "words", 20, 6), lstm(p / "lstm", 6, 5), out(p / "out", 5, 20) {}
  // A language model: predicts every word but the first.
  Expr loss(Graph& g, const std::vector<int>& sentence) const {
    std::vector<Expr> losses;
    nn::State s;
    for (size_t i = 0; i + 1 < sentence.size(); ++i) {
      s = lstm(words(g, sentence[i]), s);
      losses.push_back(cross_entropy(out(s.h), sentence[i + 1]));
    }
    return sum(losses);
  }
};

std::vector<std::unique_ptr<Tree>> some_trees(int n) {
  std::vector<std::unique_ptr<Tree>> trees;
  for (int i = 0; i < n; ++i) trees.push_back(tree(1 + i % 7, i));
  return trees;
}
std::vector<std::vector<int>> some_sentences(int n) {
  std::vector<std::vector<int>> sentences;
  for (int i = 0; i < n; ++i) {
    sentences.emplace_back();
    for (int k = 0; k < 2 + i % 6; ++k) sentences.back().push_back((i * 7 + k * 3) % 20);
  }
  return sentences;
}

// ---- products: one per weight, cell and round
template <class Model, class Examples>
uint64_t weight_products(const Examples& examples, auto one) {
  Parameters params(1);
  const Model model(params);
  Engine engine;
  auto batch = engine.record(examples, [&](Graph& g, const auto& x) { return one(model, g, x); });
  (void)engine.backward(batch.results);
  return engine.counters().weight_products;
}

TEST(Counted, weight_products_of_a_tree_lstm) {
  // W of the leaves, U and Uf of the nodes, and the output, for any number and structure of trees.
  for (int n : {7, 40, 200})
    EXPECT_EQ(
        weight_products<TreeModel>(some_trees(n), [](const auto& m, Graph& g, const auto& t) { return m.loss(g, *t); }),
        4u)
        << n << " trees";
}

TEST(Counted, weight_products_of_an_lstm) {
  // weight_ih of the first steps, weight_ih and weight_hh of the others, and the output.
  for (int n : {6, 40, 200})
    EXPECT_EQ(weight_products<ChainModel>(some_sentences(n),
                                          [](const auto& m, Graph& g, const auto& s) { return m.loss(g, s); }),
              4u)
        << n << " sentences";
}

TEST(Counted, weight_products_of_two_rounds) {
  Parameters params(1);
  const ChainModel model(params);
  Engine engine;
  Graph g = engine.graph();
  std::vector<Expr> losses;
  for (const auto& s : some_sentences(12)) losses.push_back(model.loss(g, s));
  (void)engine.value(losses[3]);  // a separate round: one sentence of five words
  (void)engine.backward(losses);
  EXPECT_EQ(engine.counters().rounds, 2u);
  // Four per round, and one more: in the first round weight_hh reads the states in place, in two ranges of rows,
  // written by the first step and by the others.
  EXPECT_EQ(engine.counters().weight_products, 9u);
}

// ---- memory: no allocation after the first minibatches of a repeating size
template <class Model, class Examples>
void expect_no_allocation(Device device, int threads, const Examples& examples, auto one) {
  SCOPED_TRACE(str(device) + ", threads " + std::to_string(threads));
  Parameters params(1);
  const Model model(params);
  EngineOptions options;
  options.device = device;
  options.threads = threads;
  Engine engine(options);
  optim::Adam adam(params, {.clip_norm = 5});
  uint64_t growths = 0, bytes = 0;
  for (int step = 0; step < 8; ++step) {
    auto batch = engine.record(examples, [&](Graph& g, const auto& x) { return one(model, g, x); });
    const Allocations count;
    {
      const Gradients gradients = engine.backward(batch.results, 0.1f);
      adam.step(gradients);
    }
    const long taken = count.taken();
    if (step >= 3) {
      EXPECT_EQ(taken, 0) << "step " << step;
      EXPECT_EQ(engine.counters().arena_growths, growths) << "step " << step;
      EXPECT_EQ(engine.counters().arena_bytes, bytes) << "step " << step;
    }
    growths = engine.counters().arena_growths;
    bytes = engine.counters().arena_bytes;
  }
}

// Lists of different lengths run in one step without padding: the cost is that of their rows.
TEST(Counted, lists_cost_the_total_of_their_rows) {
  struct Pair {
    Expr key, value;
  };
  Parameters params;
  const auto pool = Scope(params).cell("pool", {{4}, {4}}, [](Expr q, Many<Pair> rows) {
    const Expr keys = rows[&Pair::key], values = rows[&Pair::value];
    return attention(q, keys, values) + sum_rows(keys) + mean_rows(values) + max_rows(keys) + logsumexp_rows(values);
  });
  auto run = [&](const std::vector<size_t>& lengths) {
    Engine engine;
    Graph g = engine.graph();
    std::vector<Expr> losses;
    for (size_t n : lengths) {
      std::vector<Pair> rows;
      for (size_t i = 0; i < n; ++i) rows.push_back({zeros(g, {4}), ones(g, {4})});
      losses.push_back(sum_elements(pool(full(g, {4}, 1), rows)));
    }
    (void)engine.backward(losses);
    return engine.counters();
  };
  std::vector<size_t> even(64, 32), uneven(64, 1);
  uneven[7] = 64 * 32 - 63;
  const Counters a = run(even), b = run(uneven);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.launches, b.launches);
  EXPECT_LT(b.arena_bytes, a.arena_bytes + a.arena_bytes / 50);
}

TEST(Counted, no_allocation_by_a_tree_lstm) {
  if (verifies_plans) GTEST_SKIP() << "verifying plans allocates";
  for (int threads : {1, 2})
    expect_no_allocation<TreeModel>(Device::cpu(), threads, some_trees(40),
                                    [](const auto& m, Graph& g, const auto& t) { return m.loss(g, *t); });
}
TEST(Counted, no_allocation_by_an_lstm) {
  if (verifies_plans) GTEST_SKIP() << "verifying plans allocates";
  for (int threads : {1, 2})
    expect_no_allocation<ChainModel>(Device::cpu(), threads, some_sentences(40),
                                     [](const auto& m, Graph& g, const auto& s) { return m.loss(g, s); });
}

// Results are views of one block: their number does not change the number of allocations.
TEST(Counted, no_allocation_per_result) {
  if (verifies_plans) GTEST_SKIP() << "verifying plans allocates";
  Parameters params(1);
  const nn::Linear layer(params / "layer", 3, 2);
  const std::vector<float> row{1, 2, 3};
  for (const int threads : {1, 2}) {
    Engine engine({.threads = threads});
    enum What { tensors, stack, infer, infer_stacked, infer_states, start };
    const auto allocations = [&](What what, size_t n) {
      const std::vector<int> examples(n);
      long taken = 0;
      for (int warm = 0; warm < 4; ++warm) {
        const auto one = [&](Graph& g, int) { return layer(input(g, row, {3})); };
        const auto two = [&](Graph& g, int) { return nn::State{one(g, 0), sum_elements(one(g, 0))}; };
        auto batch = engine.record(examples, one, {.mode = Mode::infer});
        auto states = engine.record(examples, two, {.mode = Mode::infer});
        const Allocations count;
        size_t results = n;
        if (what == tensors) results = engine.tensors(batch.results).size();
        if (what == stack) results = static_cast<size_t>(engine.stack(batch.results).shape()[0]);
        if (what == infer) results = engine.infer(batch).size();
        if (what == infer_stacked) results = static_cast<size_t>(engine.infer_stacked(batch).shape()[0]);
        if (what == infer_states) results = engine.infer(states).size();
        if (what == start) results = engine.start(std::move(batch)).get().size();
        taken = count.taken();
        EXPECT_EQ(results, n);
      }
      return taken;
    };
    for (const What what : {tensors, stack, infer, infer_stacked, infer_states, start}) {
      const long few = allocations(what, 8);
      EXPECT_EQ(allocations(what, 800), few) << what << ", threads " << threads;
      EXPECT_LE(few, 12) << what << ", threads " << threads;
    }
  }
}

// Recording calls allocates nothing after the first graph.
TEST(Counted, no_allocation_by_recording) {
  Parameters params(1);
  const TreeModel model(params);
  Engine engine;
  const auto trees = some_trees(40);
  for (int step = 0; step < 4; ++step) {
    Graph g = engine.graph();
    const Allocations count;
    for (const auto& t : trees) (void)model.loss(g, *t);
    const long taken = count.taken();
    if (step >= 1) {
      EXPECT_EQ(taken, 0) << "step " << step;
    }
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
