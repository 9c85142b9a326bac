// The prologue of a run: what does not depend on its recursion runs once, over the rows of all its steps. It pays where
// steps are small: a product of few rows takes about as long as one of some more.
#include <algorithm>

#include "plan/forward_work.h"

namespace espalier {

void ForwardPlanner::Work::find_prologues() {
  for (size_t i = first_run_; i < layout_.runs.size(); ++i) {
    CellRun& r = layout_.runs[i];
    const Code& code = r.program->code;
    const uint64_t steps = own_.step_first_[i - first_run_ + 1] - own_.step_first_[i - first_run_];
    if (steps < 2 || r.rows >= steps * options_.prologue_below) continue;
    uint64_t asked = 0;
    for (const auto* list : {&code.prologue, &code.epilogue})
      for (const Ahead& a : *list) asked |= a.inputs;
    r.early = early_inputs(i, asked);
    for (const Ahead& a : code.prologue)
      if ((a.inputs & ~r.early) == 0) r.prologue |= a.kernels;
  }
}

// Those of the inputs asked about whose rows come from earlier rounds, or from runs that end before this one begins.
uint64_t ForwardPlanner::Work::early_inputs(size_t run, uint64_t asked) const {
  const CellRun& r = layout_.runs[run];
  const uint32_t begin = own_.step_of_run_[own_.step_first_[run - first_run_]];
  uint64_t early = 0;
  for (size_t j = 0; j < r.program->rows.size() && asked >> j != 0; ++j) {
    if ((asked >> j & 1) == 0) continue;
    bool all = true;
    uint32_t known = Layout::pending;  // a run that was found to be early
    for (uint32_t i = 0; i < r.rows && all; ++i)
      for (const uint32_t v : tape_.row_values(layout_.calls[r.first_call + i], j)) {
        const uint32_t from = layout_.place[tape_.value[v].call].run;
        if (from == known || from < first_run_) continue;
        all = all && own_.step_of_run_[own_.step_first_[from - first_run_ + 1] - 1] < begin;
        known = from;
      }
    if (all) early |= uint64_t{1} << j;
  }
  return early;
}

// What it writes must last until the last step has read it.
void ForwardPlanner::Work::place_prologues(uint64_t& top) {
  for (size_t i = first_run_; i < layout_.runs.size(); ++i) {
    const CellRun& r = layout_.runs[i];
    if (r.prologue == 0) continue;
    auto place = [&](const RowsOf& rows) {
      if (rows.kind != RowsOf::Kind::buffer) return;
      uint64_t& base = layout_.bases[r.first_base + static_cast<size_t>(rows.which)];
      if (base != nowhere) return;
      base = top;
      top = aligned(end_of(top, r.rows, r.program->code.buffers[static_cast<size_t>(rows.which)].stride));
    };
    const auto& kernels = r.program->code.forward;
    for (size_t k = 0; r.prologue >> k != 0; ++k) {
      if ((r.prologue >> k & 1) == 0) continue;
      place(kernels[k].out);
      for (const Run::Out& out : kernels[k].run.out) place(out.rows);
    }
  }
}

// One step, or one for each stretch of rows in which every early input lies in one piece.
void ForwardPlanner::Work::emit_prologue(uint32_t run) {
  const CellRun& r = layout_.runs[run];
  if (r.prologue == 0) return;
  for (uint32_t begin = 0; begin < r.rows;) {
    uint32_t end = r.rows;
    for (size_t j = 0; j < r.program->rows.size(); ++j) {
      if (!r.is_early(j)) continue;
      const InputPlace& place = layout_.inputs[r.first_input + j];
      for (uint32_t p = place.first; p < place.first + place.count; ++p)
        if (const uint32_t first = layout_.placed[p].first; first > begin) {
          end = std::min(end, first);
          break;
        }
    }
    emit_portion({run, begin, end - begin}, nowhere, true);
    begin = end;
  }
}

}  // namespace espalier
