#include "exec/cuda/epilogue.h"

#include <algorithm>

#include "op/kernel/product.h"

namespace espalier {
namespace {

// How often kernels, weight gradients and gathers write or read a buffer.
size_t uses(const Code& code, int buffer) {
  size_t n = 0;
  const auto count = [&](const RowsOf& r) { n += r.kind == RowsOf::Kind::buffer && r.which == buffer; };
  for (const auto* list : {&code.forward, &code.backward})
    for (const Kernel& k : *list) {
      std::ranges::for_each(k.in, count);
      if (k.kind != Kernel::Kind::run) count(k.out);
      for (const Run::In& in : k.run.in) count(in.rows);
      for (const Run::Out& out : k.run.out) count(out.rows);
    }
  for (const CompiledAccumulation& a : code.accumulations) {
    count(a.dy);
    count(a.x);
  }
  for (const Buffer& b : code.buffers) n += b.inside == buffer;
  return n;
}

bool same(const RowsOf& a, const RowsOf& b) {
  return a.kind == b.kind && a.which == b.which && a.offset == b.offset && a.size == b.size;
}

// Whether the run's one result is x + y of its two operands.
bool is_sum(const Run& run) {
  if (run.code.size() != 1 || run.code[0].primitive != Primitive::add) return false;
  const Instruction& add = run.code[0];
  return std::min(add.a, add.b) == 0 && std::max(add.a, add.b) == 1 && add.out > 1 && add.out == run.out[0].reg;
}

}  // namespace

std::optional<Epilogue> epilogue_of(const Code& code, const Kernel& product, const Kernel& k) {
  const bool multiplies = product.kind == Kernel::Kind::op &&
                          (product.op == &info<op::Linear>() || product.op == &info<op::LinearTransposed>()) &&
                          product.in_shapes[0].rank == 1 && !product.adds;
  if (!multiplies || k.kind != Kernel::Kind::run || k.space != product.space) return {};
  const Run& run = k.run;
  if (run.in.size() != 2 || run.out.size() != 1 || run.size != static_cast<uint32_t>(product.out_shape.size()))
    return {};
  const size_t at = same(run.in[0].rows, product.out) ? 0 : 1;
  const Run::In &x = run.in[at], &bias = run.in[1 - at];
  if (!same(x.rows, product.out) || x.scalar || bias.rows.kind != RowsOf::Kind::parameter || bias.scalar) return {};
  const Buffer::Kind kind = code.buffers[static_cast<size_t>(product.out.which)].kind;
  const bool lives_here = kind == Buffer::Kind::scratch || kind == Buffer::Kind::dscratch;
  if (!lives_here || !is_sum(run) || uses(code, product.out.which) != 2) return {};
  return Epilogue{bias.rows, run.out[0].rows};
}

}  // namespace espalier
