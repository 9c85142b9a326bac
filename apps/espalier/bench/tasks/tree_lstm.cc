// tree-lstm: the binary Tree-LSTM of Tai et al. 2015 with a cross-entropy loss at every node, as in DyNet's benchmark
// treenn.
#include <espalier/data/sentiment.h>
#include <espalier/data/vocabulary.h>
#include "bench/task.h"
#include "bench/tasks/file.h"

namespace espalier::app::bench {
namespace {

using data::sentiment::Tree;
using nn::State;

constexpr int default_dim = 128, default_hidden = 128, labels = data::sentiment::labels;
constexpr size_t trees = 8'544;  // generated: the size of the treebank's training set

struct TreeLSTM {
  int dim, hidden;
  Lookup words;
  Parameter W, U, U1, U2, b, bf, V;
  Cell<State(Index)> leaf;
  Cell<State(State, State)> node;
  Cell<Expr(Expr, Index)> loss;

  TreeLSTM(Scope p, int vocabulary, int d, int h)
      : dim(d),
        hidden(h),
        words(p.add_lookup("words", vocabulary, {d}, init::glorot())),
        W(p.add("W", {3 * h, d})),
        U(p.add("U", {3 * h, 2 * h})),
        U1(p.add("U1", {h, h})),
        U2(p.add("U2", {h, h})),
        b(p.add("b", {3 * h}, init::constant(0))),  // bias of i, o, u, shared by leaves and nodes
        bf(p.add("bf", {h}, init::constant(1))),
        V(p.add("V", {labels, h})),
        // The lookup is inside the cell: one call per leaf.
        leaf(p.cell("leaf", {{}},
                    [&](Index word) -> State {
                      const auto [i, o, u] = split<3>(linear(lookup(words, word), W, b));
                      const Expr c = sigmoid(i) * tanh(u);
                      return {sigmoid(o) * tanh(c), c};
                    })),
        node(p.cell("node", {{h}, {h}},
                    [&](State l, State r) -> State {
                      const auto [i, o, u] = split<3>(linear(concat(l.h, r.h), U, b));
                      const Expr f1 = sigmoid(linear(l.h, U1, bf)), f2 = sigmoid(linear(r.h, U2, bf));
                      const Expr c = sigmoid(i) * tanh(u) + f1 * l.c + f2 * r.c;
                      return {sigmoid(o) * tanh(c), c};
                    })),
        loss(p.cell("loss", {{h}, {}}, [&](Expr x, Index label) { return cross_entropy(linear(x, V), label); })) {}

  // Children precede their parents, so a loop suffices, and a deep tree needs no stack.
  std::vector<Expr> losses(Graph& g, const Tree& tree) const {
    std::vector<State> states;
    std::vector<Expr> all;
    states.reserve(tree.nodes.size());
    all.reserve(tree.nodes.size());
    for (const Tree::Node& n : tree.nodes) {
      states.push_back(n.is_leaf() ? leaf(g, n.word) : node(states[n.left], states[n.right]));
      all.push_back(loss(states.back().h, n.label));
    }
    return all;
  }

  size_t tokens(const Tree& tree) const { return tree.leaves(); }
  double product_flops(const Tree& tree) const {
    const double d = dim, h = hidden, leaves = static_cast<double>(tree.leaves());
    const double of_leaf = 2 * (3 * h * d), of_node = 2 * (3 * h * 2 * h + 2 * h * h), of_loss = 2 * (labels * h);
    return leaves * of_leaf + (leaves - 1) * of_node + static_cast<double>(tree.nodes.size()) * of_loss;
  }
};

}  // namespace

std::unique_ptr<Task> tree_lstm(const Sizes& s) {
  std::vector<Tree> examples;
  int vocabulary = data::sentiment::generated_words;
  if (s.data.empty()) {
    examples = data::sentiment::generate(trees, s.seed);
  } else {
    data::Vocabulary words;
    std::ifstream file = open(s.data);
    examples = data::sentiment::read(file, words, s.data);
    vocabulary = words.size();
  }
  return std::make_unique<ModelTask<TreeLSTM, Tree, optim::Adam>>(s.seed, std::move(examples), adam, vocabulary,
                                                                  s.dim > 0 ? s.dim : default_dim,
                                                                  s.hidden > 0 ? s.hidden : default_hidden);
}

}  // namespace espalier::app::bench
