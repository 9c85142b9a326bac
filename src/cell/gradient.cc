// The gradient as more nodes of the same program, by reverse accumulation over the forward nodes. Rows give gradient
// rows; parameters give accumulations, which are done once per minibatch.
#include <algorithm>

#include "cell/builder.h"
#include "cell/passes.h"
#include "op/axis.h"
#include "op/elementwise.h"

namespace espalier {
namespace {

class Reverse {
 public:
  explicit Reverse(Program& p) : p_(p), build_(p), adjoint_(p.nodes.size(), -1), wants_(p.nodes.size(), false) {}

  void run() {
    for (size_t i = 0; i < wants_.size(); ++i) wants_[i] = wants(static_cast<int>(i));
    for (size_t k = 0; k < p_.outputs.size(); ++k)
      if (wants_[static_cast<size_t>(p_.outputs[k])]) add(p_.outputs[k], build_.gradient(static_cast<int>(k)));
    for (int i = p_.forward_nodes - 1; i >= 0; --i)
      if (p_.node(i).kind == Node::Kind::op && wants_[static_cast<size_t>(i)] && adjoint_[static_cast<size_t>(i)] >= 0)
        step(i);
    give_rows();
  }

  void add(int node, int term) {
    int& sum = adjoint_[static_cast<size_t>(node)];
    sum = sum < 0 ? term : build_.make(info<op::Add>(), {}, std::array{sum, term});
  }

 private:
  class Rule;

  bool wants(int i) const {
    const Node& n = p_.node(i);
    if (n.kind == Node::Kind::row || n.kind == Node::Kind::parameter) return true;
    if (n.kind != Node::Kind::op || n.op->gradient == nullptr) return false;
    return std::any_of(n.in.begin(), n.in.end(), [&](int k) { return wants_[static_cast<size_t>(k)]; });
  }

  void step(int node);

  // Each input row's gradient is a row of its own, like an output.
  void give_rows() {
    p_.row_gradients.assign(p_.rows.size(), -1);
    std::vector<int> given;
    for (int i = 0; i < p_.forward_nodes; ++i) {
      const Node n = p_.node(i);
      int g = adjoint_[static_cast<size_t>(i)];
      if (n.kind != Node::Kind::row || g < 0) continue;
      const bool own = p_.node(g).kind == Node::Kind::op && g >= p_.forward_nodes && !is_view(p_, g) &&
                       p_.node(g).space == n.space && std::find(given.begin(), given.end(), g) == given.end();
      if (!own) g = build_.make(info<op::Copy>(), {}, std::array{g});
      given.push_back(g);
      p_.row_gradients[static_cast<size_t>(n.which)] = g;
    }
  }

  Program& p_;
  Builder build_;
  std::vector<int> adjoint_;
  std::vector<bool> wants_;
};

// What one op's rule sees of the program.
class Reverse::Rule : public op::Adjoint {
 public:
  Rule(Reverse& r, int node) : r_(r), node_(r.p_.node(node)), self_(node) {}
  op::Term in(int i) override { return {&r_.build_, node_.in[static_cast<size_t>(i)]}; }
  int count() const override { return static_cast<int>(node_.in.size()); }
  op::Term out() override { return {&r_.build_, self_}; }
  op::Term dy() override { return {&r_.build_, r_.adjoint_[static_cast<size_t>(self_)]}; }
  bool wants(int i) const override { return r_.wants_[static_cast<size_t>(node_.in[static_cast<size_t>(i)])]; }

  void add(int i, op::Term g) override {
    if (!wants(i)) return;
    const int input = node_.in[static_cast<size_t>(i)];
    const Node target = r_.p_.node(input);
    if (target.shape == Shape{} && g.shape() != Shape{}) g = op::apply<op::SumElements>({}, {g});
    if (target.kind == Node::Kind::parameter)
      r_.p_.accumulations.push_back({Accumulation::Kind::sum, target.which, g.node, -1});
    else
      r_.add(input, g.node);
  }
  void add_product(int i, op::Term dy, op::Term x) override {
    if (wants(i)) accumulate(Accumulation::Kind::product, i, dy.node, x.node);
  }
  void add_table(int i, op::Term dy) override { accumulate(Accumulation::Kind::table, i, dy.node, node_.in[1]); }

 private:
  void accumulate(Accumulation::Kind kind, int i, int dy, int x) {
    r_.p_.accumulations.push_back({kind, r_.p_.node(node_.in[static_cast<size_t>(i)]).which, dy, x});
  }
  Reverse& r_;
  const Node node_;  // a copy: rules add nodes
  int self_;
};

void Reverse::step(int node) {
  Rule rule(*this, node);
  const Node n = p_.node(node);
  n.op->gradient(n.attrs, rule);
}

}  // namespace

void differentiate(Program& p) { Reverse(p).run(); }

}  // namespace espalier
