// fold-tree: the benchmark of TensorFlow Fold (Looks et al., ICLR 2017). Random binary trees; a node combines its
// children with gates, without a cell state.
#include <espalier/data/binary_tree.h>
#include "bench/task.h"

namespace espalier::app::bench {
namespace {

using data::binary_tree::Tree;

constexpr int default_dim = 1024, default_leaves = 128;
constexpr int rows = 128;        // of the lookup table
constexpr size_t trees = 2'048;  // generated
constexpr float learning_rate = 1e-5f;

struct FoldTree {
  int dim;
  Lookup table;
  Parameter W0, b0, W, b;
  Cell<Expr(Index)> leaf;
  Cell<Expr(Expr, Expr)> node;
  Cell<Expr(Expr)> loss;

  FoldTree(Scope p, int d)
      : dim(d),
        table(p.add_lookup("table", rows, {d}, init::glorot())),
        W0(p.add("W0", {d, 2 * d})),
        b0(p.add("b0", {d}, init::constant(0))),
        W(p.add("W", {4 * d, d})),
        b(p.add("b", {4 * d}, init::constant(0))),
        leaf(p.cell("leaf", {{}}, [&](Index row) { return lookup(table, row); })),
        node(p.cell("node", {{d}, {d}},
                    [&](Expr l, Expr r) {
                      const Expr h = relu(linear(concat(l, r), W0, b0));
                      const auto [fl, fr, i, g] = split<4>(linear(h, W, b));
                      return sigmoid(fl) * l + sigmoid(fr) * r + sigmoid(i) * tanh(g);
                    })),
        loss(p.cell("loss", {{d}}, [&](Expr root) { return 0.5 * sum_elements(root * root); })) {}

  std::vector<Expr> losses(Graph& g, const Tree& tree) const {
    std::vector<Expr> states;
    states.reserve(tree.nodes.size());
    for (const Tree::Node& n : tree.nodes)
      states.push_back(n.is_leaf() ? leaf(g, n.leaf) : node(states[n.left], states[n.right]));
    return {loss(states.back())};
  }

  static size_t leaves(const Tree& tree) { return (tree.nodes.size() + 1) / 2; }
  size_t tokens(const Tree& tree) const { return leaves(tree); }
  double product_flops(const Tree& tree) const {
    const double d = dim, of_node = 2 * (d * 2 * d) + 2 * (4 * d * d);
    return static_cast<double>(leaves(tree) - 1) * of_node;
  }
};

optim::SGD sgd(Parameters& params) { return optim::SGD(params, {.lr = learning_rate}); }

}  // namespace

std::unique_ptr<Task> fold_tree(const Sizes& s) {
  const int leaves = s.leaves > 0 ? s.leaves : default_leaves;
  return std::make_unique<ModelTask<FoldTree, Tree, optim::SGD>>(
      s.seed, data::binary_tree::generate(trees, s.seed, leaves, rows, s.shape), sgd, s.dim > 0 ? s.dim : default_dim);
}

}  // namespace espalier::app::bench
