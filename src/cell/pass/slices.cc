// Moves slices up through element-wise ops: if all readers of f(x, b) are slices, each becomes f of slices of x and b.
// Gates cut from one product then need no separate kernel for the bias, and their gradients are separate from the
// start.
#include <algorithm>

#include "cell/passes.h"
#include "op/kernel/axis.h"

namespace espalier {
namespace {

class Mover {
 public:
  explicit Mover(Program& p) : p_(p), readers_(p.nodes.size()) {
    for (size_t i = 0; i < p.nodes.size(); ++i)
      for (int k : p.nodes[i].in) readers_[static_cast<size_t>(k)].push_back(static_cast<int>(i));
    for (int o : p.outputs) readers_[static_cast<size_t>(o)].push_back(outside);
  }

  // From the last op to the first, so that a moved slice can move further up.
  void run() {
    for (int i = static_cast<int>(readers_.size()) - 1; i >= 0; --i)
      if (is_open(i) && is_read_in_parts(i)) move(i);
  }

 private:
  static constexpr int outside = -1;

  bool is_open(int node) const {
    const Node& n = p_.node(node);
    if (n.kind != Node::Kind::op || !n.op->elementwise || n.op->random || n.in.empty() || n.shape.size() == 1 ||
        sums_products(p_, node))
      return false;
    return std::all_of(n.in.begin(), n.in.end(), [&](int k) {
      const Node& operand = p_.node(k);
      const bool constant = operand.kind == Node::Kind::op && operand.space == shared_space;
      return operand.shape.size() == 1 || (operand.shape == n.shape && (!constant || operand.op == &info<op::Full>()));
    });
  }

  // Whether all readers are slices, and any two are equal or disjoint: no element is computed twice.
  bool is_read_in_parts(int node) const {
    const auto& readers = readers_[static_cast<size_t>(node)];
    if (readers.empty()) return false;
    for (int r : readers) {
      if (r == outside || p_.node(r).op != &info<op::Slice>() || !is_view(p_, r)) return false;
      const auto a = attrs(r);
      for (int s : readers) {
        if (s == outside || p_.node(s).op != &info<op::Slice>()) return false;
        const auto b = attrs(s);
        const bool same = a.begin == b.begin && a.end == b.end;
        if (a.axis != b.axis || !(same || a.end <= b.begin || b.end <= a.begin)) return false;
      }
    }
    return true;
  }

  void move(int node) {
    const Node whole = p_.node(node);
    for (int k : whole.in) std::erase(readers_[static_cast<size_t>(k)], node);
    for (int part : readers_[static_cast<size_t>(node)]) {
      const Attrs cut = p_.node(part).attrs;
      std::vector<int> in;
      for (int k : whole.in) in.push_back(p_.node(k).shape.size() == 1 ? k : part_of(k, cut, p_.node(part).shape));
      for (int k : in)
        if (static_cast<size_t>(k) < readers_.size()) readers_[static_cast<size_t>(k)].push_back(part);
      Node& n = p_.nodes[static_cast<size_t>(part)];
      n.op = whole.op;
      n.attrs = whole.attrs;
      n.in = std::move(in);
      n.space = whole.space;
    }
    readers_[static_cast<size_t>(node)].clear();
  }

  // New nodes are appended; canonical_order() moves them before their readers. A slice of a parameter is not copied,
  // because only element-wise ops read it.
  int part_of(int node, const Attrs& cut, const Shape& shape) {
    const Node& n = p_.node(node);
    Node part{Node::Kind::op, &info<op::Slice>(), cut, {node}, shape, std::max<int>(n.space, call_space), 0};
    if (n.op == &info<op::Full>()) {
      auto full = unerase<op::FullAttrs>(n.attrs);
      full.shape = shape;
      part = {Node::Kind::op, n.op, erase(full), {}, shape, shared_space, 0};
    }
    p_.nodes.push_back(std::move(part));
    const auto made = static_cast<int>(p_.nodes.size()) - 1;
    readers_[static_cast<size_t>(node)].push_back(made);
    return made;
  }

  op::SliceAttrs attrs(int node) const { return unerase<op::SliceAttrs>(p_.node(node).attrs); }

  Program& p_;
  std::vector<std::vector<int>> readers_;  // per node that existed before the pass
};

}  // namespace

void move_slices(Program& program) { Mover(program).run(); }

}  // namespace espalier
