// Attention and graph neural networks: formulas and cost.
#include "models/fixture.h"

namespace espalier::test {
namespace ESPALIER_FILE {

TEST(Attention, DotProduct) {
  expect_fixture(
      "dot_product_attention", [](Scope p) { return nn::DotProductAttention(p, 3); },
      [](const nn::DotProductAttention& m, const Example& e) {
        const auto keys = e.list("key"), values = e.list("value");
        std::vector<nn::KeyValue> pairs;
        for (size_t i = 0; i < keys.size(); ++i) pairs.push_back({keys[i], values[i]});
        const auto memory = group(e.g, pairs);
        std::vector<Expr> out;
        for (Expr q : e.list("q")) out.push_back(m(q, memory));
        return out;
      });
}
TEST(Attention, Additive) {
  expect_fixture(
      "additive_attention", [](Scope p) { return nn::AdditiveAttention(p, 2, 3, 4); },
      [](const nn::AdditiveAttention& m, const Example& e) {
        const auto memory = m.remember(e.g, e.list("h"));
        std::vector<Expr> out;
        for (Expr q : e.list("q")) out.push_back(m(q, memory));
        return out;
      });
}
TEST(Attention, FeedForward) {
  expect_fixture(
      "feed_forward_attention", [](Scope p) { return nn::FeedForwardAttention(p, 3); },
      [](const nn::FeedForwardAttention& m, const Example& e) { return std::vector<Expr>{m(e.list("h"))}; });
}
TEST(Attention, MultiHead) {
  expect_fixture(
      "multi_head_attention", [](Scope p) { return nn::MultiHeadAttention(p, 4, 2); },
      [](const nn::MultiHeadAttention& m, const Example& e) { return m(e.g, e.list("h")); });
}
TEST(Attention, HeadsDivideTheNumbers) {
  Parameters params;
  try {
    nn::MultiHeadAttention(params, 4, 3);
    ADD_FAILURE() << "three heads of four numbers";
  } catch (const ShapeError& e) {
    EXPECT_STREQ(e.what(), "MultiHeadAttention: heads = 3, dim = 4; heads must divide dim");
  }
}

// A decoder of 20 steps over 30 rows: keys are projected once, and all queries read one group.
TEST(Attention, WhatIsRememberedIsComputedOnce) {
  Parameters params;
  const nn::AdditiveAttention m(params, 2, 3, 4);
  Engine engine({.device = Device::null()});
  Graph g = engine.graph();
  std::vector<Expr> rows, out;
  for (int i = 0; i < 30; ++i) rows.push_back(input(g, std::vector<float>(3), {3}));
  const auto memory = m.remember(g, rows);
  EXPECT_EQ(g.calls(), 60u);
  for (int i = 0; i < 20; ++i) out.push_back(m(input(g, std::vector<float>(2), {2}), memory));
  EXPECT_EQ(g.calls(), 60u + 40u);
  engine.tensors(out);
  EXPECT_EQ(engine.counters().steps, 4u) << "rows, keys, queries, answers";
}

TEST(GraphModules, GraphConvolution) {
  expect_fixture(
      "graph_convolution", [](Scope p) { return nn::GraphConvolution(p, 2, 3); },
      [](const nn::GraphConvolution& m, const Example& e) {
        return m(e.list("h"), e.get<std::vector<std::vector<int>>>("neighbours"));
      });
}
TEST(GraphModules, Weave) {
  expect_fixture(
      "weave", [](Scope p) { return nn::Weave(p, 2, 3, 2, 2); },
      [](const nn::Weave& m, const Example& e) {
        const auto next = m(e.g, {e.list("a"), e.list("p")}, e.get<std::vector<std::array<int, 2>>>("ends"));
        std::vector<Expr> out = next.atoms;
        out.insert(out.end(), next.pairs.begin(), next.pairs.end());
        return out;
      });
}
TEST(GraphModules, NeighboursAndEndsThatDoNotExistAreRefused) {
  Parameters params;
  const nn::GraphConvolution convolution(params / "convolution", 2, 3);
  const nn::Weave weave(params / "weave", 2, 2, 2, 2);
  Engine engine;
  Graph g = engine.graph();
  const std::vector<Expr> rows(2, zeros(g, {2}));
  auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const IndexError& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  using Lists = std::vector<std::vector<int>>;
  const Where at{"molecule.cc", 41};
  EXPECT_EQ(message([&] { convolution(rows, Lists{{1}, {2}}, at); }),
            "GraphConvolution: neighbour 2 is out of range; it must be 0…1 (molecule.cc:41)");
  EXPECT_EQ(message([&] { convolution(rows, Lists{{1}}, at); }),
            "GraphConvolution: 2 nodes and 1 lists of neighbours are given; each node needs one (molecule.cc:41)");
  using Ends = std::vector<std::array<int, 2>>;
  EXPECT_EQ(message([&] { weave(g, {rows, {rows[0]}}, Ends{{0, -1}}, at); }),
            "Weave: atom -1 is out of range; it must be 0…1 (molecule.cc:41)");
  EXPECT_EQ(message([&] { weave(g, {rows, {rows[0]}}, Ends{}, at); }),
            "Weave: 1 pairs and 0 ends are given; each pair needs its two atoms (molecule.cc:41)");
  EXPECT_EQ(g.calls(), 1u) << "nothing but the rows";
}
TEST(GraphModules, ALayerIsTwoStepsWhateverTheGraphs) {
  Parameters params;
  const nn::GraphConvolution m(params, 2, 2);
  Engine engine({.device = Device::null()});
  auto batch = engine.record(std::vector<int>{1, 3, 6}, [&](Graph& g, int n) {
    std::vector<Expr> h;
    std::vector<std::vector<int>> star(static_cast<size_t>(n));
    for (int v = 0; v < n; ++v) h.push_back(input(g, std::vector<float>(2), {2}));
    for (int v = 1; v < n; ++v) {
      star[0].push_back(v);
      star[static_cast<size_t>(v)].push_back(0);
    }
    return m(h, star)[0];
  });
  engine.tensors(batch.results);
  EXPECT_EQ(engine.counters().steps, 3u) << "inputs, what is sent, what is gathered";
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
