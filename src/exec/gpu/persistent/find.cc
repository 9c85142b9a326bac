#include "exec/gpu/persistent/find.h"

#include <algorithm>

#include "op/kernel/product.h"

namespace espalier::persistent {
namespace {

bool reads(const Kernel& k, int buffer) {
  const auto is_it = [&](const RowsOf& r) { return r.kind == RowsOf::Kind::buffer && r.which == buffer; };
  return std::ranges::any_of(k.in, is_it) ||
         std::ranges::any_of(k.fused.in, [&](const FusedKernel::In& i) { return is_it(i.rows); });
}

// Whether exactly one kernel of the step reads the buffer, and nothing outside the step does.
bool is_read_once(const PlanStep& step, int buffer) {
  const Buffer::Kind kind = step.program->code.buffers[static_cast<size_t>(buffer)].kind;
  if (step.kernels != SaturatingMask::all() || (kind != Buffer::Kind::scratch && kind != Buffer::Kind::dscratch))
    return false;
  int readers = 0;
  step.each_kernel([&](const Kernel& k) { readers += reads(k, buffer); });
  return readers == 1;
}

// Whether anything after the step reads the gathered rows. They may themselves be an output or the gradient of an
// input. In training, the backward pass may read the rows of a forward step, and a weight gradient those of a backward
// step.
bool stays(const Plan& plan, const PlanStep& step, const Gather& gather) {
  if (step.kernels != SaturatingMask::all() || (!step.backward && !plan.infers)) return true;
  const Code& code = step.program->code;
  const auto holds = [&](int buffer) {
    if (buffer < 0) return false;
    const Binding& b = plan.bindings[step.first_binding + static_cast<size_t>(buffer)];
    return b.offset != no_offset && gather.out >= b.offset && gather.out < b.offset + uint64_t{gather.rows} * b.stride;
  };
  const auto is_accumulated = [&](int buffer) { return code.buffers[static_cast<size_t>(buffer)].accumulated; };
  if (!step.backward) return std::ranges::any_of(code.output_buffer, holds);
  return std::ranges::any_of(code.din_buffer, holds) ||
         std::ranges::any_of(code.dout_buffer, [&](int buffer) { return holds(buffer) && is_accumulated(buffer); });
}

class Finder {
 public:
  Finder(const Unrounded* unrounded, Planner& planner) : unrounded_(unrounded), planner_(planner) {}

  // Offers a kernel; false if it cannot be part of a persistent kernel.
  bool offer(const DeviceStepRows& rows, const Kernel& k) {
    constexpr int64_t narrow = 4096;
    const int64_t n = rows.count(k.space);
    if (n > narrow || n == 0) return false;
    if (k.kind == Kernel::Kind::fused) return offer_fused(rows, k.fused, static_cast<unsigned>(n));
    const bool is_linear = k.op == &info<op::Linear>() || k.op == &info<op::LinearTransposed>();
    return k.kind == Kernel::Kind::op && is_linear && offer_product(rows, k, n);
  }

 private:
  bool offer_fused(const DeviceStepRows& rows, const FusedKernel& fused, unsigned n) {
    if (fused.size == 0) return false;
    operands_.clear();
    const auto take = [&](const RowsOf& of) {
      const Rows<float> r = rows[of];
      operands_.push_back({r.data, r.stride, 0, 0});
    };
    for (const FusedKernel::In& i : fused.in) take(i.rows);
    for (const FusedKernel::Out& o : fused.out) take(o.rows);
    const SaturatingMask shadowed =
        unrounded_ != nullptr ? unrounded_->factors_of(*rows.step.program).results(fused) : SaturatingMask();
    return planner_.fused(fused, n, operands_, shadowed);
  }

  bool offer_product(const DeviceStepRows& rows, const Kernel& k, int64_t n) {
    const bool transposed = k.op == &info<op::LinearTransposed>();
    const Rows<float> x = rows[k.in[0]], out = rows[k.out];
    const Shape& w = k.in_shapes[1];
    if (k.in_shapes[0].rank != 1 || x.stride == 0 || w.size() == 0) return false;
    OfferedProduct p;
    p.rows = static_cast<unsigned>(n);
    p.n = static_cast<unsigned>(w[transposed ? 1 : 0]);
    p.k = static_cast<unsigned>(w[transposed ? 0 : 1]);
    p.transposed = transposed;
    p.adds = k.adds;
    p.x = x.data;
    p.w = rows[k.in[1]].data;
    p.out = out.data;
    p.x_stride = x.stride;
    p.out_stride = out.stride;
    p.read_once = k.out.kind == RowsOf::Kind::buffer && is_read_once(rows.step, k.out.which);
    return planner_.product(p, product_flops(k, n));
  }

  const Unrounded* unrounded_;
  Planner& planner_;
  std::vector<Operand> operands_;
};

}  // namespace

void find_steps(const Plan& plan, const Layout& layout, float* base, DeviceMemory& memory, const Unrounded* unrounded,
                const Capacity& capacity, Planner& planner) {
  planner.begin(base, plan.sources, capacity);
  Finder finder(unrounded, planner);
  for (const PlanStep& step : plan.steps) {
    const DeviceStepRows rows(plan, step, layout, base, ParametersOnDevice{&memory});
    bool taken = true;
    step.each_kernel([&](const Kernel& k) { taken = taken && finder.offer(rows, k); });
    if (!taken) {
      planner.drop_step();
      continue;
    }
    for (const Gather& g : gathers_of(plan, step)) planner.gather(g, stays(plan, step, g));
    planner.end_step(static_cast<uint32_t>(&step - plan.steps.data()));
  }
  planner.end();
}

}  // namespace espalier::persistent
