// Recursive modules: formulas, and the cost of trees.
#include "models/fixture.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using nn::State;
using Tree = std::vector<std::vector<size_t>>;  // the children of each node, which precede it

// The states of all nodes of a binary tree; leaf(i) is the i-th leaf.
template <class Leaf, class Node>
auto over_tree(const Tree& tree, Leaf leaf, Node node) {
  std::vector<decltype(leaf(size_t{}))> states;
  size_t leaves = 0;
  for (const auto& kids : tree)
    states.push_back(kids.empty() ? leaf(leaves++) : node(states[kids[0]], states[kids[1]]));
  return states;
}
std::vector<Expr> hidden_and_last_cell(const std::vector<State>& states) {
  std::vector<Expr> out;
  for (const State& s : states) out.push_back(s.h);
  out.push_back(states.back().c);
  return out;
}
template <class T>
std::vector<T> pick_all(const std::vector<T>& from, const std::vector<size_t>& which) {
  std::vector<T> picked;
  for (size_t i : which) picked.push_back(from[i]);
  return picked;
}

TEST(Trees, TreeLstm) {
  expect_fixture(
      "tree_lstm", [](Scope p) { return nn::TreeLSTM(p, 3, 2); },
      [](const nn::TreeLSTM& m, const Example& e) {
        const auto xs = e.list("x");
        return hidden_and_last_cell(over_tree(
            e.get<Tree>("tree"), [&](size_t i) { return m.leaf(xs[i]); },
            [&](State l, State r) { return m.node(l, r); }));
      });
}
TEST(Trees, NaryTreeLstm) {
  using M = nn::NaryTreeLSTM<3>;
  expect_fixture(
      "nary_tree_lstm", [](Scope p) { return M(p, 2, 2); },
      [](const M& m, const Example& e) {
        const auto xs = e.list("x");
        const auto words = e.get<std::vector<int>>("words");
        std::vector<State> states;
        for (const auto& kids : e.get<Tree>("tree")) {
          const int word = words[states.size()];
          states.push_back(m(e.g, word < 0 ? Expr() : xs[static_cast<size_t>(word)], pick_all(states, kids)));
        }
        return hidden_and_last_cell(states);
      });
}
TEST(Trees, NaryTreeLstmRefusesMoreThanN) {
  Parameters params;
  const nn::NaryTreeLSTM<2> m(params, 2, 2);
  Engine engine;
  Graph g = engine.graph();
  const State leaf = m(g, zeros(g, {2}), {});
  const size_t calls = g.calls();
  try {
    m(g, {}, std::vector<State>(3, leaf), Where{"tree.cc", 41});
    ADD_FAILURE() << "three children in two places";
  } catch (const ShapeError& e) {
    EXPECT_STREQ(e.what(), "NaryTreeLSTM: 3 children are given; it takes at most 2 (tree.cc:41)");
  }
  EXPECT_EQ(g.calls(), calls);
}
TEST(Trees, ChildSumTreeLstm) {
  expect_fixture(
      "childsum_tree_lstm", [](Scope p) { return nn::ChildSumTreeLSTM(p, 3, 2); },
      [](const nn::ChildSumTreeLSTM& m, const Example& e) {
        const auto xs = e.list("x");
        std::vector<State> states;
        for (const auto& kids : e.get<Tree>("tree"))
          states.push_back(m.node(e.g, xs[states.size()], pick_all(states, kids)));
        return hidden_and_last_cell(states);
      });
}
TEST(Trees, BidirectionalTreeLstm) {
  expect_fixture(
      "bidirectional_tree_lstm", [](Scope p) { return nn::BidirectionalTreeLSTM(p, 2, 2); },
      [](const nn::BidirectionalTreeLSTM& m, const Example& e) {
        return m(e.g, e.list("x"), e.get<std::vector<int>>("parents"));
      });
}
TEST(Trees, BidirectionalTreeLstmRefusesParentsBeforeTheirChildren) {
  Parameters params;
  const nn::BidirectionalTreeLSTM m(params, 2, 2);
  Engine engine;
  Graph g = engine.graph();
  const std::vector<Expr> xs(3, zeros(g, {2}));
  auto message = [&](std::vector<int> parents) -> std::string {
    try {
      m(g, xs, parents, Where{"tree.cc", 41});
    } catch (const IndexError& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message({-1, 0, 1}),
            "BidirectionalTreeLSTM: the parent of node 1 is 0; it must be -1 or a later node below 3 (tree.cc:41)");
  EXPECT_EQ(message({1, 3, -1}),
            "BidirectionalTreeLSTM: the parent of node 1 is 3; it must be -1 or a later node below 3 (tree.cc:41)");
  EXPECT_EQ(message({1, -1}),
            "BidirectionalTreeLSTM: 3 rows and 2 parents are given; each node needs both (tree.cc:41)");
  EXPECT_EQ(g.calls(), 1u) << "nothing but the input";
}
TEST(Trees, TreeRnn) {
  expect_fixture(
      "tree_rnn", [](Scope p) { return nn::TreeRNN(p, 3); },
      [](const nn::TreeRNN& m, const Example& e) {
        const auto xs = e.list("x");
        return over_tree(
            e.get<Tree>("tree"), [&](size_t i) { return xs[i]; }, [&](Expr l, Expr r) { return m.node(l, r); });
      });
}
TEST(Trees, Rntn) {
  expect_fixture(
      "rntn", [](Scope p) { return nn::RNTN(p, 2); },
      [](const nn::RNTN& m, const Example& e) {
        const auto xs = e.list("x");
        return over_tree(
            e.get<Tree>("tree"), [&](size_t i) { return xs[i]; }, [&](Expr l, Expr r) { return m.node(l, r); });
      });
}
TEST(Trees, MvRnn) {
  expect_fixture(
      "mv_rnn", [](Scope p) { return nn::MVRNN(p, 4, 2); },
      [](const nn::MVRNN& m, const Example& e) {
        const auto words = e.get<std::vector<int>>("words");
        const auto nodes = over_tree(
            e.get<Tree>("tree"), [&](size_t i) { return m.leaf(e.g, words[i]); },
            [&](const nn::MatrixVector& l, const nn::MatrixVector& r) { return m.node(l, r); });
        std::vector<Expr> out;
        for (const auto& n : nodes) out.push_back(n.vector);
        out.push_back(nodes.back().matrix);
        return out;
      });
}
TEST(Trees, MvRnnWordsStartAtTheIdentity) {
  Parameters params;
  const nn::MVRNN m(params, 2, 2);
  EXPECT_EQ(m.matrices.value().to_vector(), (std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1}));
}

// Trees of different heights and arities in one batch: one step per height.
TEST(Trees, NodesOfAllAritiesRunTogether) {
  Parameters params;
  const nn::NaryTreeLSTM<3> nary(params / "nary", 2, 2);
  const std::vector<Tree> trees{{{}, {}, {0, 1}, {2}, {0, 1, 3}}, {{}, {0}}, {{}, {}, {}, {0, 1, 2}}};
  Engine engine({.device = Device::null()});
  auto batch = engine.record(trees, [&](Graph& g, const Tree& tree) {
    std::vector<State> states;
    for (const auto& kids : tree)
      states.push_back(nary(g, kids.empty() ? input(g, std::vector<float>(2), {2}) : Expr(), pick_all(states, kids)));
    return states.back().h;
  });
  engine.tensors(batch.results);
  EXPECT_EQ(engine.counters().steps, 1u + 1u + 1u + 3u) << "inputs, zeros, leaves and three heights";
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
