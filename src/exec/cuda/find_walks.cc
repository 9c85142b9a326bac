// Which steps of a plan are walked, and what they do there.
#include "exec/cuda/executor.h"
#include "op/kernel/product.h"

namespace espalier {

void CudaExecutor::find_walks(const Plan& plan) {
  walks_.begin();
  for (const PlanStep& step : plan.steps) {
    if (step.gathers > 0) walks_.gather(step.first_gather, step.gathers);
    bool taken = true;
    step.each_kernel([&](const Kernel& k) { taken = taken && offer(plan, step, k); });
    if (taken)
      walks_.end_step(static_cast<uint32_t>(&step - plan.steps.data()));
    else
      walks_.drop_step();
  }
  walks_.end();
}

// Whether a kernel can be part of a walk.
bool CudaExecutor::offer(const Plan& plan, const PlanStep& step, const Kernel& k) {
  constexpr int64_t narrow = 4096;
  const int64_t n = rows_in(step, k.space);
  if (n > narrow || n == 0) return false;
  if (k.kind == Kernel::Kind::run) {
    if (k.run.size == 0) return false;
    const unsigned lanes = bind(plan, step, k.run);
    walks_.run(k.run, lanes, static_cast<unsigned>(n), operands_, shadow_.results(*step.program, k.run));
    return true;
  }
  const bool transposed = k.op == &info<op::LinearTransposed>();
  if (k.kind != Kernel::Kind::op || !(transposed || k.op == &info<op::Linear>())) return false;
  const Rows<float> x = rows(plan, step, k.in[0]), out = rows(plan, step, k.out);
  const Shape& w = k.in_shapes[1];
  if (k.in_shapes[0].rank != 1 || x.stride == 0 || w.size() == 0) return false;
  walk::Phase p{};
  p.rows = static_cast<unsigned>(n);
  p.n = static_cast<unsigned>(w[transposed ? 1 : 0]);
  p.k = static_cast<unsigned>(w[transposed ? 0 : 1]);
  if (transposed) p.flags |= walk::transposed;
  if (k.adds) p.flags |= walk::adds;
  p.x = x.data;
  p.w = rows(plan, step, k.in[1]).data;
  p.out = out.data;
  p.x_stride = x.stride;
  p.out_stride = out.stride;
  return walks_.product(p, static_cast<double>(n) * k.op->flops(k.attrs, k.in_shapes, k.out_shape));
}

}  // namespace espalier
