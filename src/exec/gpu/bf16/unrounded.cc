#include "exec/gpu/bf16/unrounded.h"

#include <algorithm>

#include "exec/plan_view.h"

namespace espalier {

void Unrounded::begin(const Plan& plan) {
  factors_.clear();
  for (const PlanStep& step : plan.steps) factors_.try_emplace(step.program, *step.program, multiple_);
}

// As in the plan, early inputs are gathered or read in place by the hoisted kernels, other inputs by the step. The
// gradient of an output is gathered by its step or read in place.
void Unrounded::read_in_place(const Plan& plan, const PlanStep& step, const Layout& layout) {
  const CellBatch& batch = *step.batch;
  const Factors& factors = factors_of(*step.program);
  const std::span gathers = gathers_of(plan, step);
  const bool is_hoisted = batch.hoisted.any() && step.kernels == batch.hoisted;
  for (size_t b = 0; b < factors.buffers.size(); ++b) {
    if (!factors.buffers[b]) continue;
    const Buffer& buffer = step.program->code.buffers[b];
    const auto which = static_cast<size_t>(buffer.which);
    if (!step.backward && buffer.kind == Buffer::Kind::input) {
      if (!layout.inputs[batch.first_input + which].gathered &&
          is_hoisted == (batch.hoisted.any() && batch.early_inputs.test(which)))
        note(plan, step, b, layout);
    } else if (step.backward && buffer.kind == Buffer::Kind::dout && !buffer.accumulated) {
      if (std::ranges::find(gathers, plan.bindings[step.first_binding + b].offset, &Gather::out) == gathers.end())
        note(plan, step, b, layout);
    }
  }
}

void Unrounded::wrote(const Plan& plan, const PlanStep& step, const RowsOf& out, const Layout& layout) {
  if (factors_of(*step.program).has(out)) note(plan, step, static_cast<size_t>(out.which), layout);
}

// Merges rows with adjacent rows of earlier steps.
void Unrounded::note(const Plan& plan, const PlanStep& step, size_t b, const Layout& layout) {
  const Buffer& buffer = step.program->code.buffers[b];
  const Binding& bind = plan.bindings[step.first_binding + b];
  if (bind.offset == no_offset) return;
  RowsAt now{bind.offset, bind.stride, 1, static_cast<uint32_t>(buffer.size)};
  if (buffer.space != shared_space && bind.stride != 0)
    now.rows = static_cast<uint32_t>(rows_in(layout, step, buffer.space));
  if (now.rows == 0 || now.size == 0) return;
  const auto end = [](const RowsAt& r) { return r.offset + uint64_t{r.rows} * r.stride; };
  constexpr size_t looked_at = 16;
  for (RowsAt& before : std::span(rows_).last(std::min(rows_.size(), looked_at))) {
    if (before.stride != now.stride || before.size != now.size) continue;
    if (before.offset == now.offset) {
      before.rows = std::max(before.rows, now.rows);
      return;
    }
    if (end(before) != now.offset && end(now) != before.offset) continue;
    before.offset = std::min(before.offset, now.offset);
    before.rows += now.rows;
    return;
  }
  rows_.push_back(now);
}

}  // namespace espalier
