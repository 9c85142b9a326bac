// Hoisting: the gradients of early inputs of a cell batch are computed once, after its last backward step.
#include "plan/backward/work.h"

namespace espalier {

// Kernels that compute only gradients of early inputs: no step of the cell batch reads them.
SaturatingMask BackwardPlanner::Work::hoisted(uint32_t number) const {
  const CellBatch& batch = layout.batches[number];
  SaturatingMask kernels;
  if (!batch.early_inputs.any()) return kernels;
  for (const HoistedKernels& a : batch.program->code.hoisted_backward) {
    const int din = batch.program->code.din_buffer[a.inputs.first()];
    const uint64_t region = own.bases_[batch.first_base + static_cast<size_t>(din)];
    if (batch.early_inputs.contains(a.inputs) && region != no_offset && region != discarded) kernels |= a.kernels;
  }
  return kernels;
}

// Hoisted kernels read and write only regions, no scratch.
void BackwardPlanner::Work::emit_hoisted(uint32_t number) {
  const SaturatingMask kernels = hoisted(number);
  if (!kernels.any()) return;
  const CellBatch& batch = layout.batches[number];
  own.readers_.each_active_range(layout, number, 0, batch.rows, [&](uint32_t begin, uint32_t end) {
    PlanStep out = step({number, begin, end - begin}, kernels);
    out.hoisted = true;
    const auto& buffers = batch.program->code.buffers;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const uint64_t region = own.bases_[batch.first_base + b];
      const uint64_t base = region != no_offset                        ? region
                            : buffers[b].kind == Buffer::Kind::scratch ? no_offset
                                                                       : layout.base(batch, static_cast<int>(b));
      Binding bind{no_offset, buffers[b].stride};
      if (base != no_offset && base != discarded)
        bind.offset = base + uint64_t{layout.first_in(batch, buffers[b].space, begin)} * buffers[b].stride;
      plan.bindings.push_back(bind);
    }
    plan.steps.push_back(out);
  });
}

}  // namespace espalier
