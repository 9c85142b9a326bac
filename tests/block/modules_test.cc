// Any module can be on the right of >>: it records the same calls as when called directly, and its shapes are known if
// the shapes of its input are known.
#include <gtest/gtest.h>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace espalier::test {
namespace ESPALIER_FILE {

using namespace espalier::block;
using nn::State;
using Numbers = std::vector<float>;
using Words = std::vector<int>;

void list_rows(Expr x, std::vector<Expr>& to) { to.push_back(x); }
void list_rows(const State& s, std::vector<Expr>& to) { to.insert(to.end(), {s.h, s.c}); }
void list_rows(const nn::MatrixVector& m, std::vector<Expr>& to) { to.insert(to.end(), {m.vector, m.matrix}); }
template <class T>
void list_rows(const std::vector<T>& xs, std::vector<Expr>& to) {
  for (const T& x : xs) list_rows(x, to);
}
void list_rows(const nn::Weave::Molecule& m, std::vector<Expr>& to) {
  list_rows(m.atoms, to);
  list_rows(m.pairs, to);
}

// Expects the same values and number of calls as `by_hand`. `known`: the text of the shapes before any data.
template <class B, class F>
void expect_same(const B& block, const typename B::In& x, const std::string& known, F by_hand) {
  EXPECT_EQ(str(block.shapes()), known);
  Engine engine;
  Graph a = engine.graph(), b = engine.graph();
  std::vector<Expr> from_block, from_hand;
  list_rows(block(a, x), from_block);
  list_rows(by_hand(b, x), from_hand);
  EXPECT_EQ(a.calls(), b.calls());
  const std::vector<Tensor> got = engine.tensors(from_block), expected = engine.tensors(from_hand);
  ASSERT_EQ(got.size(), expected.size());
  ASSERT_FALSE(got.empty());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(str(got[i].shape()), str(expected[i].shape()));
    EXPECT_EQ(got[i].to_vector(), expected[i].to_vector());
  }
}

const Numbers three{0.5f, -1, 2};
const auto row = identity<Numbers>() >> vector(3);
Expr row_of(Graph& g, const Numbers& x) { return input(g, x, {3}); }

template <class M>
void expect_row_module(const M& module, const std::string& known) {
  expect_same(row >> module, three, known, [&](Graph& g, const Numbers& x) {
    if constexpr (std::is_invocable_v<const M&, Graph&, Expr>)
      return module(g, row_of(g, x));
    else
      return module(row_of(g, x));
  });
}

TEST(BlockModules, OfARow) {
  Parameters p(1);
  expect_row_module(nn::Linear(p / "linear", 3, 4), "[4]");
  expect_row_module(nn::LayerNorm(p / "norm", 3), "[3]");
  expect_row_module(nn::MLP(p / "mlp", {3, 5, 2}), "[2]");
  expect_row_module(nn::FC(p / "fc", 3, 4, {.layer_norm = true}), "[4]");
  expect_row_module(nn::FractalNet(p / "fractal", 2, 3, [](Scope s) { return nn::FC(s, 3, 3); }), "[3]");
  expect_row_module(nn::LSTM(p / "lstm", 3, 2), "[2], [2]");
  expect_row_module(nn::TreeLSTM(p / "tree", 3, 2).leaf, "[2], [2]");
  EXPECT_THROW(row >> nn::Linear(p / "wrong", 4, 4), ShapeError);  // before any data
}

TEST(BlockModules, OfIntegers) {
  Parameters p(2);
  const nn::Embedding words(p / "words", 10, 4);
  expect_same(identity<int>() >> words, 7, "[4]", [&](Graph& g, int i) { return words(g, i); });
  const nn::MVRNN mv(p / "mv", 10, 2);
  expect_same(identity<int>() >> mv.leaf, 3, "[2], [2,2]", [&](Graph& g, int i) { return mv.leaf(g, i); });
  const nn::CharLSTM spell(p / "spell", 10, 4, 3);
  expect_same(identity<Words>() >> spell, {1, 2, 3}, "unknown until recorded",
              [&](Graph& g, const Words& w) { return spell(g, w); });
  const nn::CharCNN<3> windows(p / "windows", 10, 4, 5);
  expect_same(identity<Words>() >> windows, {4, 2}, "unknown until recorded",
              [&](Graph& g, const Words& w) { return windows(g, w); });
}

// A module that does more than call its cell.
struct Encoder {
  Cell<Expr(Index)> cell;
  nn::Linear out;
  explicit Encoder(Scope p)
      : cell(p.cell("one_hot", {{}}, [](Index i) { return espalier::one_hot(10, i); })), out(p / "out", 10, 3) {}
  Expr operator()(Graph& g, Index i) const { return out(cell(g, i)); }
};
TEST(BlockModules, OfAUser) {
  Parameters p(4);
  const Encoder encoder(p);
  const nn::Linear next(p / "next", 3, 2);
  expect_same(identity<int>() >> encoder, 7, "unknown until recorded", [&](Graph& g, int i) { return encoder(g, i); });
  expect_same(identity<int>() >> encoder >> next, 7, "[2]", [&](Graph& g, int i) { return next(encoder(g, i)); });
}

struct Sentence : testing::Test {
  Parameters p{3};
  nn::Embedding words{p / "words", 10, 4};
  Block<Words, std::vector<Expr>> rows = identity<Words>() >> map(words);
  Words sentence{1, 5, 5, 0};
  std::vector<Expr> by_hand(Graph& g, const Words& s) const {
    std::vector<Expr> xs;
    for (int w : s) xs.push_back(words(g, w));
    return xs;
  }
  template <class M>
  void expect_rnn(const M& module, const std::string& known) {
    expect_same(rows >> rnn(module) >> get<0>(), sentence, known,
                [&](Graph& g, const Words& s) { return module.run(by_hand(g, s)); });
  }
};

TEST_F(Sentence, Recurrent) {
  expect_rnn(nn::RNN(p / "rnn", 4, 3), "[3]");
  expect_rnn(nn::GRU(p / "gru", 4, 3), "[3]");
  expect_rnn(nn::LSTM(p / "lstm", 4, 3), "[3]");
  expect_rnn(nn::LayerNormLSTM(p / "norm", 4, 3), "[3]");
  expect_rnn(nn::DeepLSTM(p / "deep", 4, 3, 2), "unknown until recorded");
}

TEST_F(Sentence, WholeSequence) {
  const nn::BiLSTM both(p / "both", 4, 3);
  expect_same(rows >> both, sentence, "unknown until recorded",
              [&](Graph& g, const Words& s) { return both(by_hand(g, s)); });
  const nn::FeedForwardAttention attend(p / "attend", 4);
  expect_same(rows >> attend, sentence, "[4]", [&](Graph& g, const Words& s) { return attend(by_hand(g, s)); });
  const nn::MultiHeadAttention heads(p / "heads", 4, 2);
  expect_same(rows >> heads, sentence, "unknown until recorded",
              [&](Graph& g, const Words& s) { return heads(g, by_hand(g, s)); });
}

TEST_F(Sentence, SeveralArguments) {
  const nn::TreeRNN pair(p / "pair", 4);
  expect_same(rows >> reduce(pair.node), {1, 2}, "[4]", [&](Graph& g, const Words& s) {
    const auto xs = by_hand(g, s);
    return pair.node(xs[0], xs[1]);
  });
  const nn::ChildSumTreeLSTM tree(p / "tree", 4, 3);
  const nn::TreeLSTM leaves(p / "leaves", 4, 3);
  expect_same(all_of(rows >> nth(0), rows >> map(leaves.leaf)) >> tree.node, sentence, "[3], [3]",
              [&](Graph& g, const Words& s) {
                const Expr first = by_hand(g, s)[0];
                std::vector<State> kids;
                for (Expr x : by_hand(g, s)) kids.push_back(leaves.leaf(x));
                return tree.node(g, first, kids);
              });
}

struct Net {
  Words nodes;
  std::vector<Words> neighbours;
  std::vector<std::array<int, 2>> edges;
};

TEST_F(Sentence, Graphs) {
  const Net net{{1, 2, 3}, {{1}, {0, 2}, {1}}, {{0, 1}, {1, 2}}};
  const auto nodes = field<&Net::nodes>() >> map(words);
  const nn::GraphConvolution convolution(p / "convolution", 4, 3);
  expect_same(all_of(nodes, field<&Net::neighbours>()) >> convolution, net, "unknown until recorded",
              [&](Graph& g, const Net& n) { return convolution(by_hand(g, n.nodes), n.neighbours); });
  const nn::Weave weave(p / "weave", 4, 4, 3, 2);
  expect_same(all_of(all_of(nodes, nodes >> slice(0, 2)) >> as<nn::Weave::Molecule>(), field<&Net::edges>()) >> weave,
              net, "no rows", [&](Graph& g, const Net& n) {
                const auto atoms = by_hand(g, n.nodes);
                auto pairs = by_hand(g, n.nodes);
                pairs.pop_back();
                return weave(g, {atoms, pairs}, n.edges);
              });
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
