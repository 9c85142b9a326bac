// Appends the gradient as nodes of the same program, by reverse accumulation. Row inputs get gradient rows; parameters
// get accumulations, which run once per minibatch.
#include <algorithm>
#include <functional>
#include <iterator>

#include "cell/builder.h"
#include "cell/passes.h"
#include "op/elementwise.h"
#include "op/kernel/axis.h"

namespace espalier {
namespace {

class Reverse {
 public:
  explicit Reverse(Program& p) : p_(p), build_(p), terms_(p.nodes.size()), wants_(p.nodes.size(), false) {}

  void run() {
    for (size_t i = 0; i < wants_.size(); ++i) wants_[i] = wants(static_cast<int>(i));
    for (size_t k = 0; k < p_.outputs.size(); ++k)
      if (wants_[static_cast<size_t>(p_.outputs[k])]) add(p_.outputs[k], build_.gradient(static_cast<int>(k)));
    for (int i = p_.forward_nodes - 1; i >= 0; --i)
      if (p_.node(i).kind == Node::Kind::op && wants_[static_cast<size_t>(i)] && !terms(i).empty()) step(i);
    give_rows();
    give_parameters();
  }

  void add(int node, int term) { terms(node).push_back(term); }

 private:
  class Rule;

  bool wants(int i) const {
    const Node& n = p_.node(i);
    if (n.kind == Node::Kind::row || n.kind == Node::Kind::parameter) return true;
    if (n.kind != Node::Kind::op || n.op->gradient == nullptr) return false;
    return std::any_of(n.in.begin(), n.in.end(), [&](int k) { return wants_[static_cast<size_t>(k)]; });
  }

  void step(int node);
  std::vector<int>& terms(int node) { return terms_[static_cast<size_t>(node)]; }

  // The sum of all terms of a node's gradient, as one node.
  int sum(int node) {
    join_pads(terms(node));
    products_first(terms(node));
    int total = terms(node)[0];
    for (size_t i = 1; i < terms(node).size(); ++i)
      total = build_.make(info<op::Add>(), {}, std::array{total, terms(node)[i]});
    terms(node) = {total};
    return total;
  }

  // Gradients of adjacent slices are concatenated. Padding each with zeros and adding would write every element once
  // per slice.
  void join_pads(std::vector<int>& terms) {
    std::vector<int> pads;
    for (int t : terms)
      if (p_.node(t).op == &info<op::Pad>()) pads.push_back(t);
    if (pads.size() < 2) return;
    std::sort(pads.begin(), pads.end(), [&](int a, int b) { return pad(a).before < pad(b).before; });
    int end = pad(pads[0]).before;
    std::vector<int> parts;
    for (int t : pads) {
      const int part = p_.node(t).in[0];
      if (pad(t).axis != pad(pads[0]).axis || pad(t).before != end) return;
      end += p_.node(part).shape[pad(t).axis];
      parts.push_back(part);
    }
    const op::PadAttrs around{pad(pads[0]).before, pad(pads.back()).after, pad(pads[0]).axis};
    int joined = build_.make(info<op::Concat>(), erase(op::AxisAttrs{around.axis}), parts);
    if (around.before != 0 || around.after != 0)
      joined = build_.make(info<op::Pad>(), erase(around), std::array{joined});
    std::erase_if(terms, [&](int t) { return std::find(pads.begin(), pads.end(), t) != pads.end(); });
    terms.insert(terms.begin(), joined);
  }
  // Order of the terms: a view of a product, then products, which can add to its rows, then the others.
  void products_first(std::vector<int>& terms) const {
    const auto part = std::find_if(terms.begin(), terms.end(),
                                   [&](int t) { return is_view(p_, t) && is_product(p_.node(p_.node(t).in[0])); });
    auto next = terms.begin();
    if (part != terms.end()) std::rotate(next++, part, part + 1);
    std::vector<int> ordered(terms.begin(), next);
    auto product = [&](int t) { return is_product(p_.node(t)); };
    std::copy_if(next, terms.end(), std::back_inserter(ordered), product);
    std::copy_if(next, terms.end(), std::back_inserter(ordered), std::not_fn(product));
    terms = std::move(ordered);
  }
  op::PadAttrs pad(int node) const { return unerase<op::PadAttrs>(p_.node(node).attrs); }

  // The gradient of each row input owns its row, as an output does.
  void give_rows() {
    p_.row_gradients.assign(p_.rows.size(), -1);
    std::vector<int> given;
    for (int i = 0; i < p_.forward_nodes; ++i) {
      const Node n = p_.node(i);
      if (n.kind != Node::Kind::row || terms(i).empty()) continue;
      int g = sum(i);
      const bool own = std::find(given.begin(), given.end(), g) == given.end() && can_be_slot(g, n.space);
      if (!own) g = build_.make(info<op::Copy>(), {}, std::array{g});
      given.push_back(g);
      p_.row_gradients[static_cast<size_t>(n.which)] = g;
    }
  }

  // Whether the node can be a din row: an op added by this pass, in this space, or an aligned view of one.
  bool can_be_slot(int node, int space) const {
    uint64_t offset = 0;
    int base = node;
    for (; is_view(p_, base); base = p_.node(base).in[0]) offset += offset_in_base(p_, base);
    return p_.node(base).kind == Node::Kind::op && base >= p_.forward_nodes && p_.node(base).space == space &&
           offset % unit == 0;
  }

  // One sum over all rows for each shape in which a parameter is used as a row.
  void give_parameters() {
    for (int i = 0; i < p_.forward_nodes; ++i) {
      if (p_.node(i).kind != Node::Kind::parameter) continue;
      join_pads(terms(i));
      for (int t : terms(i)) p_.accumulations.push_back({Accumulation::Kind::sum, p_.node(i).which, t, -1});
    }
  }

  Program& p_;
  Builder build_;
  std::vector<std::vector<int>> terms_;  // per forward node: terms of its gradient
  std::vector<bool> wants_;
};

// The program as seen by the gradient rule of one op.
class Reverse::Rule : public op::Adjoint {
 public:
  Rule(Reverse& r, int node) : r_(r), node_(r.p_.node(node)), self_(node) {}
  const OpInfo& op() const override { return *node_.op; }
  op::Term in(int i) override { return {&r_.build_, node_.in[static_cast<size_t>(i)]}; }
  int count() const override { return static_cast<int>(node_.in.size()); }
  op::Term out() override { return {&r_.build_, self_}; }
  op::Term dy() override { return {&r_.build_, r_.sum(self_)}; }
  bool wants(int i) const override { return r_.wants_[static_cast<size_t>(node_.in[static_cast<size_t>(i)])]; }

  void add(int i, op::Term g) override {
    if (!wants(i)) return;
    const int input = node_.in[static_cast<size_t>(i)];
    const Node target = r_.p_.node(input);
    if (target.shape == Shape{} && g.shape() != Shape{}) g = op::apply<op::SumElements>({}, {g});
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
  const Node node_;  // a copy, because rules append nodes
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
