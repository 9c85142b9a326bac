#include "cell/generate/aliases.h"

#include <algorithm>

#include "cell/passes.h"
#include "op/elementwise.h"
#include "op/kernel/axis.h"

namespace espalier {
namespace {

constexpr int outside_buffer = -1;

// Whether each part is a contiguous range of the row of the concat.
bool is_contiguous(const Program& p, int concat) {
  const Node& n = p.node(concat);
  const int axis = unerase<op::AxisAttrs>(n.attrs).axis;
  return std::all_of(n.shape.dims.begin(), n.shape.dims.begin() + axis, [](int d) { return d == 1; });
}

}  // namespace

BufferAliases::BufferAliases(const Program& program, const std::vector<bool>& live)
    : p_(program),
      inside_(program.nodes.size(), -1),
      adds_to_(program.nodes.size(), -1),
      offset_(program.nodes.size(), 0),
      placed_(program.nodes.size(), false),
      silent_(program.nodes.size(), false),
      root_(program.nodes.size(), false),
      readers_(program.nodes.size()) {
  for (size_t i = 0; i < p_.nodes.size(); ++i)
    if (live[i])
      for (int k : p_.nodes[i].in) readers_[static_cast<size_t>(k)].push_back(static_cast<int>(i));
  auto root = [&](int node) {
    readers_[static_cast<size_t>(node)].push_back(outside_buffer);
    root_[static_cast<size_t>(node)] = true;
  };
  for (int o : p_.outputs) root(o);
  for (int g : p_.row_gradients)
    if (g >= 0) root(g);
  for (const Accumulation& a : p_.accumulations) {
    readers_[static_cast<size_t>(a.dy)].push_back(outside_buffer);
    if (a.kind == Accumulation::Kind::product) readers_[static_cast<size_t>(a.x)].push_back(outside_buffer);
  }
  lay_views();
  for (size_t i = 0; i < p_.nodes.size(); ++i)
    if (live[i] && p_.nodes[i].op == &info<op::Add>()) lay_sum(static_cast<int>(i));
  for (size_t i = p_.nodes.size(); i-- > 0;)
    if (live[i] && p_.nodes[i].op == &info<op::Concat>()) lay_concat(static_cast<int>(i));
}

Alias BufferAliases::of(int node) const {
  Alias h{node, 0};
  for (; inside_[static_cast<size_t>(h.node)] >= 0; h.node = inside_[static_cast<size_t>(h.node)])
    h.offset += offset_[static_cast<size_t>(h.node)];
  return h;
}

void BufferAliases::put(int node, int inside, uint64_t offset) {
  inside_[static_cast<size_t>(node)] = inside;
  offset_[static_cast<size_t>(node)] = offset;
}

void BufferAliases::lay_views() {
  for (size_t i = 0; i < p_.nodes.size(); ++i)
    if (const int n = static_cast<int>(i); is_view(p_, n)) {
      put(n, p_.node(n).in[0], offset_in_base(p_, n));
      silent_[i] = true;
    }
}

// Whether the node has no alias yet and its rows are not visible outside the program.
bool BufferAliases::is_free(int node) const {
  return p_.node(node).kind == Node::Kind::op && inside_[static_cast<size_t>(node)] < 0 && !is_root(node);
}

// In x + W y, lets W y add to the rows of x, if this sum is the only reader of both, and x is a product, a sum of
// products or a view of one.
void BufferAliases::lay_sum(int sum) {
  const Node& n = p_.node(sum);
  const int x = n.in[0], product = n.in[1];
  auto fits = [&](int k) { return p_.node(k).shape == n.shape && p_.node(k).space == n.space; };
  auto read_once = [&](int k) { return readers_[static_cast<size_t>(k)].size() == 1; };
  if (!is_product(p_.node(product)) || !is_free(product) || !read_once(product) || !fits(product)) return;
  if (x == product || !fits(x) || !read_once(x) || (x < p_.forward_nodes) != (sum < p_.forward_nodes)) return;
  if (is_product(p_.node(x)) || silent_[static_cast<size_t>(x)]) {
    if (is_free(x)) {
      put(x, sum, 0);
    } else {
      const Alias alias = of(x);
      const bool aligned = alias.offset % unit == 0;
      if (!is_product(p_.node(alias.node)) || !is_free(alias.node) || (is_root(sum) && !aligned)) return;
      if ((alias.node < p_.forward_nodes) != (sum < p_.forward_nodes)) return;
      if (std::find(p_.outputs.begin(), p_.outputs.end(), sum) != p_.outputs.end()) return;
      if (!only_reader_of_its_part(x, alias.node)) return;
      put(sum, x, 0);
    }
    placed_[static_cast<size_t>(x)] = true;
    placed_[static_cast<size_t>(product)] = true;
    silent_[static_cast<size_t>(sum)] = true;
    adds_to_[static_cast<size_t>(product)] = x;
    put(product, sum, 0);
  }
}

// Whether all other readers of the base are views that do not overlap this view.
bool BufferAliases::only_reader_of_its_part(int view, int base) const {
  if (p_.node(view).in[0] != base) return false;  // not a view of a view
  const auto begin = offset_in_base(p_, view);
  const auto end = begin + static_cast<uint64_t>(p_.node(view).shape.size());
  for (int r : readers_[static_cast<size_t>(base)]) {
    if (r == view) continue;
    if (r == outside_buffer || !is_view(p_, r)) return false;
    const auto first = offset_in_base(p_, r);
    if (first < end && begin < first + static_cast<uint64_t>(p_.node(r).shape.size())) return false;
  }
  return true;
}

bool BufferAliases::can_be_gathered_into(int concat, int node) const {
  const Node &n = p_.node(node), &c = p_.node(concat);
  return n.kind == Node::Kind::row && inside_[static_cast<size_t>(node)] < 0 && concat < p_.forward_nodes &&
         n.space == c.space && c.shape.rank == 1;
}

void BufferAliases::lay_concat(int concat) {
  if (!is_contiguous(p_, concat)) return;
  const Node& n = p_.node(concat);
  uint64_t offset = 0;
  bool all = true;
  for (int k : n.in) {
    const bool matrices =
        is_product(p_.node(k)) && n.shape.rank > 1;  // its rows would have gaps and need a product each
    const bool same_half = (k < p_.forward_nodes) == (concat < p_.forward_nodes);
    if ((is_free(k) && same_half && !matrices && p_.node(k).space == n.space) || can_be_gathered_into(concat, k)) {
      put(k, concat, offset);
      placed_[static_cast<size_t>(k)] = true;
    } else {
      all = false;
    }
    offset += static_cast<uint64_t>(p_.node(k).shape.size());
  }
  silent_[static_cast<size_t>(concat)] = all;
}

}  // namespace espalier
