#include "exec/gpu/bf16/factors.h"

#include <algorithm>

#include "op/kernel/product.h"

namespace espalier {

bool multiplies_in_bf16(int m, int n, int multiple) { return m > 0 && m % multiple == 0 && n > 0 && n % multiple == 0; }

bool multiplies_in_bf16(const Kernel& k, int multiple) {
  if (k.kind != Kernel::Kind::op || (k.op != &info<op::Linear>() && k.op != &info<op::LinearTransposed>()))
    return false;
  return k.in[0].kind == RowsOf::Kind::buffer && k.in[1].kind == RowsOf::Kind::parameter &&
         multiplies_in_bf16(k.in_shapes[1][0], k.in_shapes[1][1], multiple);
}

Factors::Factors(const Program& program, int multiple) : buffers(program.code.buffers.size()) {
  const Code& code = program.code;
  const auto read = [&](const RowsOf& rows) { buffers[static_cast<size_t>(rows.which)] = true; };
  for (const auto* list : {&code.forward, &code.backward})
    for (const Kernel& k : *list) {
      if (!multiplies_in_bf16(k, multiple)) continue;
      read(k.in[0]);
      const detail::ParameterStorage* const weight = program.parameters[static_cast<size_t>(k.in[1].which)].get();
      if (std::ranges::find(weights, weight) == weights.end()) weights.push_back(weight);
    }
  for (size_t a = 0; a < code.accumulations.size(); ++a) {
    const CompiledAccumulation& sum = code.accumulations[a];
    if (program.accumulations[a].kind != Accumulation::Kind::product || !multiplies_in_bf16(sum.m, sum.n, multiple))
      continue;
    read(sum.dy);
    read(sum.x);
  }
  for (size_t b = 0; b < buffers.size(); ++b) {
    const Buffer& buffer = code.buffers[b];
    if (buffer.kind == Buffer::Kind::input)
      gathers[0] = gathers[0] || buffers[b] || (buffer.inside >= 0 && buffers[static_cast<size_t>(buffer.inside)]);
    if (buffer.kind == Buffer::Kind::dout) gathers[1] = gathers[1] || buffers[b];
  }
}

SaturatingMask Factors::results(const FusedKernel& fused) const {
  SaturatingMask found;
  for (size_t i = 0; i < fused.out.size(); ++i)
    if (has(fused.out[i].rows)) found.set(i);
  return found;
}

}  // namespace espalier
