// Which steps of a plan are walked, and what they do there.
#include <algorithm>

#include "exec/cuda/executor.h"
#include "op/kernel/product.h"

namespace espalier {
namespace {

bool reads(const Kernel& k, int buffer) {
  const auto is_it = [&](const RowsOf& r) { return r.kind == RowsOf::Kind::buffer && r.which == buffer; };
  return std::ranges::any_of(k.in, is_it) ||
         std::ranges::any_of(k.run.in, [&](const Run::In& i) { return is_it(i.rows); });
}

// Whether a product's result is for one kernel of the step alone.
bool is_read_once(const PlanStep& step, int buffer) {
  const Buffer::Kind kind = step.program->code.buffers[static_cast<size_t>(buffer)].kind;
  if (step.kernels != ~uint64_t{0} || (kind != Buffer::Kind::scratch && kind != Buffer::Kind::dscratch)) return false;
  int readers = 0;
  step.each_kernel([&](const Kernel& k) { readers += reads(k, buffer); });
  return readers == 1;
}

// Whether gathered rows are read by anything behind the step: they may be an output, or the gradient of an input, as
// they are. Forward, a backward pass may need them; backward, a weight's gradient.
bool stays(const Plan& plan, const PlanStep& step, const Gather& gather) {
  if (step.kernels != ~uint64_t{0} || (!step.backward && !plan.infers)) return true;
  const Code& code = step.program->code;
  const auto holds = [&](int buffer) {
    if (buffer < 0) return false;
    const Binding& b = plan.bindings[step.first_binding + static_cast<size_t>(buffer)];
    return b.offset != nowhere && gather.out >= b.offset && gather.out < b.offset + uint64_t{gather.rows} * b.stride;
  };
  const auto is_accumulated = [&](int buffer) { return code.buffers[static_cast<size_t>(buffer)].accumulated; };
  if (!step.backward) return std::ranges::any_of(code.output_buffer, holds);
  return std::ranges::any_of(code.slot_buffer, holds) ||
         std::ranges::any_of(code.dout_buffer, [&](int buffer) { return holds(buffer) && is_accumulated(buffer); });
}

}  // namespace

void CudaExecutor::find_walks(const Plan& plan) {
  walks_.begin(arena_.base(), plan.sources, inputs_.beside);
  for (const PlanStep& step : plan.steps) {
    bool taken = true;
    step.each_kernel([&](const Kernel& k) { taken = taken && offer(plan, step, k); });
    if (!taken) {
      walks_.drop_step();
      continue;
    }
    for (const Gather& g : std::span(plan.gathers).subspan(step.first_gather, step.gathers))
      walks_.gather(g, stays(plan, step, g));
    walks_.end_step(static_cast<uint32_t>(&step - plan.steps.data()));
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
    bind(plan, step, k.run);
    return walks_.run(k.run, static_cast<unsigned>(n), operands_, shadow_.results(*step.program, k.run));
  }
  const bool transposed = k.op == &info<op::LinearTransposed>();
  if (k.kind != Kernel::Kind::op || !(transposed || k.op == &info<op::Linear>())) return false;
  const Rows<float> x = rows(plan, step, k.in[0]), out = rows(plan, step, k.out);
  const Shape& w = k.in_shapes[1];
  if (k.in_shapes[0].rank != 1 || x.stride == 0 || w.size() == 0) return false;
  walk::OfferedProduct p;
  p.rows = static_cast<unsigned>(n);
  p.n = static_cast<unsigned>(w[transposed ? 1 : 0]);
  p.k = static_cast<unsigned>(w[transposed ? 0 : 1]);
  p.transposed = transposed;
  p.adds = k.adds;
  p.x = x.data;
  p.w = rows(plan, step, k.in[1]).data;
  p.out = out.data;
  p.x_stride = x.stride;
  p.out_stride = out.stride;
  p.read_once = k.out.kind == RowsOf::Kind::buffer && is_read_once(step, k.out.which);
  return walks_.product(p, static_cast<double>(n) * k.op->flops(k.attrs, k.in_shapes, k.out_shape));
}

}  // namespace espalier
