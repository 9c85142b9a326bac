// Nodes to buffers and kernels. A value gets a buffer only if it is read outside its kernel. The readers decide how
// long the buffer lives: other calls (output), the backward pass (kept), weight gradients (dkept), or only this step
// (scratch).
#include <algorithm>
#include <map>

#include "cell/generate/aliases.h"
#include "cell/generate/fused_kernel_writer.h"
#include "cell/passes.h"
#include "op/kernel/axis.h"

namespace espalier {

bool is_view(const Program& p, int node) {
  const Node& n = p.node(node);
  if (n.kind != Node::Kind::op) return false;
  if (n.op == &info<op::Reshape>()) return true;
  if (n.op != &info<op::Slice>()) return false;
  const Shape& x = p.node(n.in[0]).shape;
  const int axis = unerase<op::SliceAttrs>(n.attrs).axis;
  return std::all_of(x.dims.begin(), x.dims.begin() + axis, [](int d) { return d == 1; });
}

uint64_t offset_in_base(const Program& p, int view) {
  const Node& n = p.node(view);
  if (n.op != &info<op::Slice>()) return 0;
  const auto a = unerase<op::SliceAttrs>(n.attrs);
  return static_cast<uint64_t>(a.begin * (n.shape.size() / n.shape[a.axis]));
}

namespace {

class Generator {
 public:
  explicit Generator(Program& p)
      : p_(p),
        code_(p.code),
        size_(p.nodes.size()),
        forward_(reachable(p.outputs)),
        backward_(reachable(gradient_roots())),
        aliases_(p, either()),
        buffer_(size_, -1) {}

  void run() {
    leaves();

    std::vector<bool> ready(size_);
    for (size_t i = 0; i < size_; ++i) ready[i] = is_leaf(p_.nodes[i]);
    const auto forward_kernels = fuse(p_, aliases_, forward_, ready);
    for (size_t i = 0; i < size_; ++i) ready[i] = ready[i] || forward_[i];
    const auto backward_kernels = fuse(p_, aliases_, backward_, ready);

    place_outputs(forward_kernels, backward_kernels);
    for (const auto& nodes : forward_kernels) write(nodes, code_.forward);
    const std::vector<SaturatingMask> masks = root_masks();
    for (const auto& nodes : backward_kernels) {
      const size_t first = code_.backward.size();
      write(nodes, code_.backward);
      for (size_t k = first; k < code_.backward.size(); ++k)
        for (int n : nodes) code_.backward[k].gradient_mask |= masks[static_cast<size_t>(n)];
    }
    for (const Accumulation& a : p_.accumulations) code_.accumulations.push_back(accumulation(a));
  }

 private:
  static bool is_leaf(const Node& n) { return n.kind != Node::Kind::op && n.kind != Node::Kind::number; }

  std::vector<int> gradient_roots() const {
    std::vector<int> roots;
    for (int g : p_.row_gradients)
      if (g >= 0) roots.push_back(g);
    for (const Accumulation& a : p_.accumulations) {
      roots.push_back(a.dy);
      if (a.kind == Accumulation::Kind::product) roots.push_back(a.x);
    }
    return roots;
  }
  std::vector<bool> either() const {
    std::vector<bool> live = forward_;
    for (size_t i = 0; i < size_; ++i) live[i] = live[i] || backward_[i];
    return live;
  }
  std::vector<bool> reachable(const std::vector<int>& roots) const {
    std::vector<bool> seen(size_, false);
    for (int r : roots) seen[static_cast<size_t>(r)] = true;
    for (size_t i = size_; i-- > 0;)
      if (seen[i])
        for (int k : p_.nodes[i].in) seen[static_cast<size_t>(k)] = true;
    return seen;
  }

  int add_buffer(Buffer::Kind kind, int which, int node) {
    const Node& n = p_.node(node);
    const auto size = static_cast<uint64_t>(n.shape.size());
    code_.buffers.push_back({kind, which, n.space, size, padded(size)});
    buffer_[static_cast<size_t>(node)] = static_cast<int>(code_.buffers.size()) - 1;
    return buffer_[static_cast<size_t>(node)];
  }

  void leaves() {
    code_.input_buffer.assign(p_.rows.size(), -1);
    code_.output_buffer.assign(p_.outputs.size(), -1);
    code_.dout_buffer.assign(p_.outputs.size(), -1);
    code_.din_buffer.assign(p_.rows.size(), -1);
    code_.din_offset.assign(p_.rows.size(), 0);
    for (size_t i = 0; i < size_; ++i) {
      const Node& n = p_.nodes[i];
      const auto which = static_cast<size_t>(n.which);
      if (n.kind == Node::Kind::row)
        code_.input_buffer[which] = add_buffer(Buffer::Kind::input, n.which, static_cast<int>(i));
      if (n.kind == Node::Kind::gradient)
        code_.dout_buffer[which] = add_buffer(Buffer::Kind::dout, n.which, static_cast<int>(i));
    }
  }

  // Gives a buffer to every value that is read outside its kernel, unless it is an alias.
  void place_outputs(const std::vector<std::vector<int>>& forward, const std::vector<std::vector<int>>& backward) {
    std::vector<int> kernel_of(size_, -1);
    int number = 0;
    for (const auto* list : {&forward, &backward})
      for (const auto& nodes : *list) {
        for (int n : nodes) kernel_of[static_cast<size_t>(n)] = number;
        ++number;
      }
    std::vector<bool> escapes(size_, false), kept(size_, false), accumulated(size_, false);
    auto read = [&](int node, int by_kernel, bool by_backward) {
      const auto home = static_cast<size_t>(aliases_.of(node).node);
      if (is_leaf(p_.nodes[home]) || p_.nodes[home].space == shared_space) return;
      if (home != static_cast<size_t>(node) || kernel_of[home] != by_kernel) escapes[home] = true;
      if (by_backward && forward_[home]) kept[home] = true;
    };
    for (size_t i = 0; i < size_; ++i)
      if (kernel_of[i] >= 0)
        for (int k : p_.nodes[i].in) read(k, kernel_of[i], !forward_[i]);
    for (const Accumulation& a : p_.accumulations)
      for (int node : {a.dy, a.kind == Accumulation::Kind::product ? a.x : a.dy}) {
        read(node, -2, true);
        const auto home = static_cast<size_t>(aliases_.of(node).node);
        accumulated[home] = true;
        if (buffer_[home] >= 0) code_.buffers[static_cast<size_t>(buffer_[home])].accumulated = true;
      }
    for (size_t i = 0; i < size_; ++i)
      if (p_.nodes[i].kind == Node::Kind::row) kept[static_cast<size_t>(aliases_.of(static_cast<int>(i)).node)] = true;
    for (size_t k = 0; k < p_.outputs.size(); ++k)
      code_.output_buffer[k] = add_buffer(Buffer::Kind::output, static_cast<int>(k), p_.outputs[k]);
    place_slots();
    for (size_t i = 0; i < size_; ++i) {
      if (!(forward_[i] || backward_[i]) || is_leaf(p_.nodes[i]) || p_.nodes[i].space == shared_space) continue;
      if (aliases_.of(static_cast<int>(i)).node != static_cast<int>(i) || buffer_[i] >= 0) continue;
      const bool fused =
          p_.nodes[i].op != nullptr && p_.nodes[i].op->elementwise && !aliases_.silent(static_cast<int>(i));
      if (fused && !escapes[i] && !kept[i] && !accumulated[i]) continue;
      add_buffer(forward_[i] ? (kept[i] ? Buffer::Kind::kept : Buffer::Kind::scratch)
                             : (accumulated[i] ? Buffer::Kind::dkept : Buffer::Kind::dscratch),
                 0, static_cast<int>(i));
    }
    place_inputs();
  }

  // Inputs that are parts of a concat are gathered into its rows.
  void place_inputs() {
    for (size_t i = 0; i < size_; ++i) {
      if (p_.nodes[i].kind != Node::Kind::row) continue;
      const Alias alias = aliases_.of(static_cast<int>(i));
      if (alias.node == static_cast<int>(i)) continue;
      Buffer& input = code_.buffers[static_cast<size_t>(buffer_[i])];
      input.inside = buffer_[static_cast<size_t>(alias.node)];
      input.at = alias.offset;
    }
  }

  // A din row is a buffer of its own, or a part of a buffer that several din rows share.
  void place_slots() {
    std::vector<int> sharers(size_, 0);
    for (int g : p_.row_gradients)
      if (g >= 0) ++sharers[static_cast<size_t>(aliases_.of(g).node)];
    for (size_t j = 0; j < p_.rows.size(); ++j) {
      const int g = p_.row_gradients[j];
      if (g < 0) continue;
      const Alias alias = aliases_.of(g);
      int& buffer = buffer_[static_cast<size_t>(alias.node)];
      if (buffer < 0) {
        const bool own = alias.node == g && sharers[static_cast<size_t>(g)] == 1;
        add_buffer(own ? Buffer::Kind::din : Buffer::Kind::dkept, static_cast<int>(j), alias.node);
      }
      code_.din_buffer[j] = buffer;
      code_.din_offset[j] = alias.offset;
    }
  }

  RowsOf rows_of(int node) const {
    const Alias alias = aliases_.of(node);
    const Node& n = p_.node(alias.node);
    const auto size = static_cast<uint64_t>(p_.node(node).shape.size());
    if (n.kind == Node::Kind::parameter) return {RowsOf::Kind::parameter, n.which, alias.offset, size};
    const int b = buffer_[static_cast<size_t>(alias.node)];
    ESPALIER_CHECK(b >= 0);
    return {RowsOf::Kind::buffer, b, alias.offset, size};
  }
  bool has_rows(int node) const { return buffer_[static_cast<size_t>(aliases_.of(node).node)] >= 0; }

  void write(const std::vector<int>& nodes, std::vector<Kernel>& to) const {
    if (p_.node(nodes[0]).op == &info<op::Concat>() && copies_parts(nodes[0], to)) return;
    to.push_back(kernel(nodes));
  }
  // A concat with some parts already in place: copies the other parts. Returns false if no part is in place.
  bool copies_parts(int concat, std::vector<Kernel>& to) const {
    const Node& n = p_.node(concat);
    RowsOf at = rows_of(concat);
    std::vector<Kernel> copies;
    for (int part : n.in) {
      at.size = static_cast<uint64_t>(p_.node(part).shape.size());
      const Alias alias = aliases_.of(part);
      if (!aliases_.placed(part) || alias.node != aliases_.of(concat).node || alias.offset != at.offset) {
        Kernel k;
        k.space = n.space;
        k.node = concat;
        k.op = &info<op::Reshape>();
        k.attrs = erase(op::ShapeAttrs{p_.node(part).shape});
        k.out = at;
        k.out_shape = p_.node(part).shape;
        operand(k, part);
        copies.push_back(std::move(k));
      }
      at.offset += at.size;
    }
    if (copies.size() == n.in.size()) return false;
    to.insert(to.end(), std::make_move_iterator(copies.begin()), std::make_move_iterator(copies.end()));
    return true;
  }

  Kernel kernel(const std::vector<int>& nodes) const {
    const Node& first = p_.node(nodes[0]);
    Kernel k;
    k.space = first.space;
    k.node = nodes[0];
    if (first.kind == Node::Kind::number) {
      k.kind = Kernel::Kind::number;
      k.number = first.which;
      k.out = rows_of(nodes[0]);
    } else if (first.op->elementwise) {
      k.kind = Kernel::Kind::fused;
      k.fused = write_fused_kernel(p_, nodes, [&](int n) { return rows_of(n); }, [&](int n) { return has_rows(n); });
    } else {
      k.op = first.op;
      k.attrs = first.attrs;
      k.out = rows_of(nodes[0]);
      k.adds = aliases_.adds_to(nodes[0]) >= 0;
      k.out_shape = first.shape;
      for (size_t i = 0; i < first.in.size(); ++i) operand(k, first.in[i]);
      if (first.space > call_space) k.list = first.space - 1;
    }
    return k;
  }

  void operand(Kernel& k, int node) const {
    const Node& n = p_.node(node);
    if (n.kind == Node::Kind::index) {
      k.index = n.which;
    } else if (n.kind == Node::Kind::literal) {
      k.literal = n.which;
    } else {
      k.in.push_back(rows_of(node));
      k.in_shapes.push_back(n.shape);
      if (n.space > call_space) k.list = n.space - 1;
    }
  }

  // Per node: the gradients that depend on it. Also assigns the bits din_mask and accumulation_mask.
  std::vector<SaturatingMask> root_masks() {
    std::vector<SaturatingMask> mask(size_);
    size_t next = 0;
    auto bit = [&] { return SaturatingMask::of(next++); };
    for (int g : p_.row_gradients) {
      code_.din_mask.push_back(g < 0 ? SaturatingMask() : bit());
      if (g >= 0) mask[static_cast<size_t>(g)] |= code_.din_mask.back();
    }
    for (const Accumulation& a : p_.accumulations) {
      code_.accumulation_mask.push_back(bit());
      mask[static_cast<size_t>(a.dy)] |= code_.accumulation_mask.back();
      if (a.kind == Accumulation::Kind::product) mask[static_cast<size_t>(a.x)] |= code_.accumulation_mask.back();
    }
    for (size_t i = size_; i-- > 0;)
      for (int k : p_.nodes[i].in) mask[static_cast<size_t>(k)] |= mask[i];
    return mask;
  }

  static int last_size(const Shape& s) { return s[s.rank - 1]; }

  CompiledAccumulation accumulation(const Accumulation& a) const {
    CompiledAccumulation c;
    c.dy = rows_of(a.dy);
    c.space = p_.node(a.dy).space;
    if (a.kind == Accumulation::Kind::product) {
      c.x = rows_of(a.x);
      c.m = last_size(p_.node(a.dy).shape);
      c.n = last_size(p_.node(a.x).shape);
    }
    return c;
  }

  Program& p_;
  Code& code_;
  size_t size_;
  std::vector<bool> forward_, backward_;  // nodes that outputs depend on; nodes that gradients depend on
  BufferAliases aliases_;
  std::vector<int> buffer_;  // per node; -1: none
};

}  // namespace

void generate(Program& program) { Generator(program).run(); }

}  // namespace espalier
