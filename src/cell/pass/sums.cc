// Puts products first in sums: W x + b + U h becomes (W x + U h) + b. The second product then adds to the rows of the
// first, and the rest of the sum joins the fused kernel that follows.
#include <algorithm>
#include <functional>
#include <iterator>

#include "cell/passes.h"
#include "op/elementwise.h"
#include "op/kernel/product.h"

namespace espalier {

bool is_product(const OpInfo* op) { return op == &info<op::Linear>() || op == &info<op::LinearTransposed>(); }
bool is_product(const Node& n) { return is_product(n.op); }

bool sums_products(const Program& p, int node) {
  for (;;) {
    const Node& n = p.node(node);
    if (n.op != &info<op::Add>()) return false;
    const Node &first = p.node(n.in[0]), &second = p.node(n.in[1]);
    if (!is_product(second) || second.space != n.space || second.shape != n.shape || first.shape != n.shape)
      return false;
    if (is_product(first)) return first.space == n.space;
    node = n.in[0];
  }
}

namespace {

// The additions of one sum, from the last to the first, and its terms, from left to right.
struct Sum {
  std::vector<int> additions, terms;
};

Sum flatten(const Program& p, int root, const std::vector<int>& readers) {
  Sum sum;
  std::vector<int> stack{root};
  while (!stack.empty()) {
    const int node = stack.back();
    stack.pop_back();
    const Node& n = p.node(node);
    const bool inner = n.op == &info<op::Add>() && n.space == p.node(root).space && n.shape == p.node(root).shape &&
                       (node == root || readers[static_cast<size_t>(node)] == 1);
    if (!inner) {
      sum.terms.push_back(node);
      continue;
    }
    sum.additions.push_back(node);
    stack.push_back(n.in[1]);
    stack.push_back(n.in[0]);
  }
  return sum;
}

}  // namespace

void products_first(Program& p) {
  std::vector<int> readers(p.nodes.size(), 0);
  for (const Node& n : p.nodes)
    for (int k : n.in) ++readers[static_cast<size_t>(k)];
  for (int o : p.outputs) ++readers[static_cast<size_t>(o)];
  std::vector<bool> seen(p.nodes.size(), false);
  for (int root = static_cast<int>(p.nodes.size()) - 1; root >= 0; --root) {
    if (seen[static_cast<size_t>(root)] || p.node(root).op != &info<op::Add>()) continue;
    Sum sum = flatten(p, root, readers);
    for (int a : sum.additions) seen[static_cast<size_t>(a)] = true;
    auto product = [&](int t) {
      return is_product(p.node(t)) && readers[static_cast<size_t>(t)] == 1 && p.node(t).space == p.node(root).space &&
             p.node(t).shape == p.node(root).shape;
    };
    if (std::count_if(sum.terms.begin(), sum.terms.end(), product) < 2) continue;
    std::vector<int> terms;
    std::copy_if(sum.terms.begin(), sum.terms.end(), std::back_inserter(terms), product);
    std::copy_if(sum.terms.begin(), sum.terms.end(), std::back_inserter(terms), std::not_fn(product));
    int total = terms[0];
    for (size_t i = 1; i < terms.size(); ++i) {
      const int addition = sum.additions[sum.additions.size() - i];
      p.nodes[static_cast<size_t>(addition)].in = {total, terms[i]};
      total = addition;
    }
  }
}

}  // namespace espalier
