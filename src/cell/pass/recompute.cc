// Recomputation: a forward value that only the backward pass reads is computed again there, if it is cheap and its
// operands are kept anyway. This saves writing, keeping and reading a row.
#include <algorithm>

#include "cell/passes.h"

namespace espalier {
namespace {

// Cost in additions. A polynomial, a root or a division costs as much as the memory traffic it would save.
constexpr int max_cost = 4;

int cost(const Formula& f) {
  int sum = 0;
  for (const Instruction& i : f.code) {
    const bool cheap =
        i.primitive == Primitive::constant || i.primitive == Primitive::copy || i.primitive == Primitive::negate ||
        i.primitive == Primitive::absolute ||
        (i.primitive >= Primitive::add && i.primitive != Primitive::divide && i.primitive != Primitive::power);
    if (!cheap) return max_cost + 1;
    ++sum;
  }
  return sum;
}

class Recomputer {
 public:
  explicit Recomputer(Program& p) : p_(p), size_(p.nodes.size()), back_(size_, false), pinned_(size_, false) {
    for (size_t i = static_cast<size_t>(p.forward_nodes); i < size_; ++i)
      for (int k : p.nodes[i].in) back_[static_cast<size_t>(k)] = true;
    for (int o : p.outputs) pinned_[static_cast<size_t>(o)] = true;
    for (const Accumulation& a : p.accumulations)
      for (int k : {a.dy, a.x})
        if (k >= 0) pinned_[static_cast<size_t>(k)] = true;
  }

  void run() {
    std::vector<int> to(size_);
    std::vector<Node> nodes(p_.nodes.begin(), p_.nodes.begin() + p_.forward_nodes);
    for (int i = 0; i < p_.forward_nodes; ++i) {
      to[static_cast<size_t>(i)] = i;
      if (!worth_it(i)) continue;
      back_[static_cast<size_t>(i)] = false;
      again_.push_back(i);
    }
    for (int i : again_) {
      Node n = p_.node(i);
      for (int& k : n.in) k = to[static_cast<size_t>(k)];
      to[static_cast<size_t>(i)] = static_cast<int>(nodes.size());
      nodes.push_back(std::move(n));
    }
    for (size_t i = static_cast<size_t>(p_.forward_nodes); i < size_; ++i) {
      Node n = std::move(p_.nodes[i]);
      for (int& k : n.in) k = to[static_cast<size_t>(k)];
      to[i] = static_cast<int>(nodes.size());
      nodes.push_back(std::move(n));
    }
    p_.nodes = std::move(nodes);
    for (int& g : p_.row_gradients)
      if (g >= 0) g = to[static_cast<size_t>(g)];
    for (Accumulation& a : p_.accumulations) {
      a.dy = to[static_cast<size_t>(a.dy)];
      if (a.x >= 0) a.x = to[static_cast<size_t>(a.x)];
    }
  }

 private:
  bool worth_it(int i) const {
    const Node& n = p_.node(i);
    if (n.kind != Node::Kind::op || !n.op->elementwise || n.op->random || n.space == shared_space) return false;
    if (!back_[static_cast<size_t>(i)] || pinned_[static_cast<size_t>(i)]) return false;
    return cost(n.op->formula(n.attrs)) <= max_cost &&
           std::all_of(n.in.begin(), n.in.end(), [&](int k) { return at_hand(k); });
  }
  // Whether the backward pass has the value anyway.
  bool at_hand(int k) const {
    const Node& n = p_.node(k);
    if (n.kind != Node::Kind::op) return n.kind != Node::Kind::number;
    if (is_view(p_, k)) return at_hand(n.in[0]);
    return n.space == shared_space || pinned_[static_cast<size_t>(k)] || back_[static_cast<size_t>(k)] ||
           std::find(again_.begin(), again_.end(), k) != again_.end();
  }

  Program& p_;
  size_t size_;
  std::vector<bool> back_, pinned_;  // read by the backward pass; kept for another reason
  std::vector<int> again_;
};

}  // namespace

void recompute(Program& program) { Recomputer(program).run(); }

}  // namespace espalier
