#include "exec/gpu/epilogue.h"

#include <algorithm>

#include "op/kernel/product.h"

namespace espalier {
namespace {

// The number of kernels, weight gradients and gathers that write or read a buffer.
size_t uses(const Code& code, int buffer) {
  size_t n = 0;
  const auto count = [&](const RowsOf& r) { n += r.kind == RowsOf::Kind::buffer && r.which == buffer; };
  for (const auto* list : {&code.forward, &code.backward})
    for (const Kernel& k : *list) {
      std::ranges::for_each(k.in, count);
      if (k.kind != Kernel::Kind::fused) count(k.out);
      for (const FusedKernel::In& in : k.fused.in) count(in.rows);
      for (const FusedKernel::Out& out : k.fused.out) count(out.rows);
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

// Whether the only result is the sum of the two operands.
bool is_sum(const FusedKernel& fused) {
  if (fused.code.size() != 1 || fused.code[0].primitive != Primitive::add) return false;
  const Instruction& add = fused.code[0];
  return std::min(add.a, add.b) == 0 && std::max(add.a, add.b) == 1 && add.out > 1 && add.out == fused.out[0].reg;
}

}  // namespace

std::optional<Epilogue> epilogue_of(const Code& code, const Kernel& product, const Kernel& k) {
  const bool multiplies = product.kind == Kernel::Kind::op &&
                          (product.op == &info<op::Linear>() || product.op == &info<op::LinearTransposed>()) &&
                          product.in_shapes[0].rank == 1 && !product.adds;
  if (!multiplies || k.kind != Kernel::Kind::fused || k.space != product.space) return {};
  const FusedKernel& fused = k.fused;
  if (fused.in.size() != 2 || fused.out.size() != 1 || fused.size != static_cast<uint32_t>(product.out_shape.size()))
    return {};
  const size_t at = same(fused.in[0].rows, product.out) ? 0 : 1;
  const FusedKernel::In &x = fused.in[at], &bias = fused.in[1 - at];
  if (!same(x.rows, product.out) || x.scalar || bias.rows.kind != RowsOf::Kind::parameter || bias.scalar) return {};
  const Buffer::Kind kind = code.buffers[static_cast<size_t>(product.out.which)].kind;
  const bool lives_here = kind == Buffer::Kind::scratch || kind == Buffer::Kind::dscratch;
  if (!lives_here || !is_sum(fused) || uses(code, product.out.which) != 2) return {};
  return Epilogue{bias.rows, fused.out[0].rows};
}

}  // namespace espalier
