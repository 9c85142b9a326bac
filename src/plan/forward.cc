// Forward plans: which calls make which rows, and the integers that go with them.
#include <algorithm>

#include "plan/forward_work.h"

namespace espalier {
namespace {

template <class T>
uint32_t grow(std::vector<T>& v, uint32_t n) {
  const auto at = static_cast<uint32_t>(v.size());
  v.resize(v.size() + n);
  return at;
}

}  // namespace

void ForwardPlanner::Work::run() {
  plan_.clear();
  plan_.infers = options_.reuse;
  layout_.place.resize(tape_.calls());
  layout_.unit_of.resize(tape_.values(), 0);
  first_run_ = layout_.runs.size();
  first_step_ = layout_.steps.size();
  make_runs();
  index_steps();
  if (options_.reuse)
    place_reusing();
  else
    place_keeping();
  ++layout_.rounds;
}

void ForwardPlanner::Work::make_runs() {
  own_.filled_.clear();
  own_.run_of_cell_.assign(tape_.cells.size(), Layout::pending);
  if (!options_.reuse) {
    own_.count_.assign(tape_.cells.size(), 0);
    for (const Step& s : schedule_.steps) own_.count_[s.cell] += s.end - s.begin;
  }
  for (const Step& s : schedule_.steps) {
    const uint32_t n = s.end - s.begin;
    uint32_t run = own_.run_of_cell_[s.cell];
    if (run == Layout::pending || options_.reuse) {
      run = static_cast<uint32_t>(layout_.runs.size());
      own_.run_of_cell_[s.cell] = run;
      open_run(s.cell, options_.reuse ? n : own_.count_[s.cell]);
    }
    uint32_t& filled = own_.filled_[run - first_run_];
    layout_.steps.push_back({run, filled, n});
    fill_rows(run, filled, std::span(schedule_.order).subspan(s.begin, n));
    filled += n;
  }
  for (size_t r = first_run_; r < layout_.runs.size(); ++r) fill_lists(layout_.runs[r]);
}

void ForwardPlanner::Work::open_run(uint32_t cell, uint32_t rows) {
  CellRun r;
  r.cell = cell;
  r.program = tape_.cells[cell].get();
  r.rows = rows;
  for (const Buffer& b : r.program->code.buffers)
    if (b.size > options_.row_limit)
      throw DeviceError("plan: a row of cell '" + r.program->name + "' has " + std::to_string(b.size) +
                        " elements; the device holds at most " + std::to_string(options_.row_limit) + " per row");
  r.first_call = grow(layout_.calls, rows);
  r.first_base = static_cast<uint32_t>(layout_.bases.size());
  layout_.bases.resize(layout_.bases.size() + r.program->code.buffers.size(), nowhere);
  r.first_input = static_cast<uint32_t>(layout_.inputs.size());
  layout_.inputs.resize(layout_.inputs.size() + r.program->rows.size());
  r.first_segment = grow(layout_.segments, static_cast<uint32_t>(r.program->groups()) * (rows + 1));
  r.first_column = grow(layout_.columns, rows * static_cast<uint32_t>(r.program->indices.size() +
                                                                      static_cast<size_t>(r.program->numbers)));
  r.first_key = grow(layout_.keys, r.program->random ? rows : 0);
  layout_.runs.push_back(r);
  own_.filled_.push_back(0);
}

// Calls of a step, and their integers and numbers column by column.
void ForwardPlanner::Work::fill_rows(uint32_t run, uint32_t first, std::span<const uint32_t> calls) {
  const CellRun& r = layout_.runs[run];
  std::copy(calls.begin(), calls.end(), layout_.calls.begin() + r.first_call + first);
  uint32_t row = first;
  for (const uint32_t call : calls) layout_.place[call] = {run, row++};
  const size_t ints = r.program->indices.size() + static_cast<size_t>(r.program->numbers);
  if (ints == 0) return;
  int32_t* out = &layout_.columns[r.first_column + first];
  for (const uint32_t call : calls) {
    const int32_t* from = tape_.ints.data() + tape_.call[call].first_int;
    for (size_t i = 0; i < ints; ++i) out[i * r.rows] = from[i];
    ++out;
  }
}

// Random keys; lengths of groups as running sums.
void ForwardPlanner::Work::fill_lists(const CellRun& r) {
  const Program& p = *r.program;
  const std::span calls = std::span(layout_.calls).subspan(r.first_call, r.rows);
  if (p.random) {
    const size_t ints = p.indices.size() + static_cast<size_t>(p.numbers);
    uint64_t* key = &layout_.keys[r.first_key];
    for (const uint32_t call : calls) {
      const int32_t* from = tape_.ints.data() + tape_.call[call].first_int + ints;
      *key++ = static_cast<uint32_t>(from[0]) | uint64_t{static_cast<uint32_t>(from[1])} << 32;
    }
  }
  const Signature& s = tape_.signatures[r.cell];
  for (uint32_t g = 0; g < s.groups; ++g) {
    uint32_t* end = &layout_.segments[r.first_segment + g * (r.rows + 1)];
    for (const uint32_t call : calls) {
      const uint32_t group = tape_.args[tape_.call[call].first_arg + s.rows + g];
      end[1] = end[0] + tape_.groups[group].count;
      ++end;
    }
  }
}

// Which steps a run has: they are few and scattered among all.
void ForwardPlanner::Work::index_steps() {
  const size_t runs = layout_.runs.size() - first_run_;
  own_.step_first_.assign(runs + 1, 0);
  for (size_t s = first_step_; s < layout_.steps.size(); ++s) ++own_.step_first_[layout_.steps[s].run - first_run_ + 1];
  for (size_t r = 0; r < runs; ++r) own_.step_first_[r + 1] += own_.step_first_[r];
  own_.step_of_run_.resize(layout_.steps.size() - first_step_);
  own_.filled_.assign(runs, 0);
  for (size_t s = first_step_; s < layout_.steps.size(); ++s) {
    const size_t r = layout_.steps[s].run - first_run_;
    own_.step_of_run_[own_.step_first_[r] + own_.filled_[r]++] = static_cast<uint32_t>(s);
  }
}

void ForwardPlanner::plan(const GraphTape& tape, const Schedule& schedule, std::span<const uint32_t> keep,
                          const PlanOptions& options, Layout& layout, Plan& plan) {
  const Layout::Mark before = layout.mark();
  try {
    Work{*this, tape, schedule, keep, options, layout, plan}.run();
  } catch (...) {
    layout.revert(before, schedule.order);
    throw;
  }
}

}  // namespace espalier
