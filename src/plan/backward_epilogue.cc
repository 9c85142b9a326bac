// The epilogue of a run: the gradients of what was there before its first step are made once, after its last.
#include <bit>

#include "plan/backward_work.h"

namespace espalier {

// What gives only gradients of inputs that were there before the first step: nobody waits for it until that is done.
uint64_t BackwardPlanner::Work::epilogue(uint32_t number) const {
  const CellRun& run = layout.runs[number];
  uint64_t kernels = 0;
  if (run.early == 0) return 0;
  for (const Ahead& a : run.program->code.epilogue) {
    const int slot = run.program->code.slot_buffer[static_cast<size_t>(std::countr_zero(a.inputs))];
    const uint64_t region = own.bases_[run.first_base + static_cast<size_t>(slot)];
    if ((a.inputs & ~run.early) == 0 && region != nowhere && region != discarded) kernels |= a.kernels;
  }
  return kernels;
}

// All that its kernels touch are regions.
void BackwardPlanner::Work::emit_epilogue(uint32_t number) {
  const uint64_t kernels = epilogue(number);
  if (kernels == 0) return;
  const CellRun& run = layout.runs[number];
  own.readers_.each_stretch(layout, number, 0, run.rows, [&](uint32_t begin, uint32_t end) {
    PlanStep out = step({number, begin, end - begin}, kernels);
    const auto& buffers = run.program->code.buffers;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const uint64_t region = own.bases_[run.first_base + b];
      const uint64_t base = region != nowhere ? region : layout.base(run, static_cast<int>(b));
      Binding bind{nowhere, buffers[b].stride};
      if (base != nowhere && base != discarded)
        bind.offset = base + uint64_t{layout.first_in(run, buffers[b].space, begin)} * buffers[b].stride;
      plan.bindings.push_back(bind);
    }
    plan.steps.push_back(out);
  });
}

}  // namespace espalier
