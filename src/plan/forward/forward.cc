// Forward plans: assigns calls to rows and copies their integers, numbers and random keys.
#include <algorithm>

#include "plan/forward/work.h"

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
  layout_.call_rows.resize(tape_.calls());
  layout_.unit_of.resize(tape_.values(), 0);
  first_batch_ = layout_.batches.size();
  first_step_ = layout_.steps.size();
  first_strided_ = layout_.strided.size();
  plan_.first_batch = static_cast<uint32_t>(first_batch_);
  plan_.bottom = layout_.top;
  make_batches();
  index_steps();
  if (options_.reuse)
    place_reusing();
  else
    place_keeping();
  ++layout_.rounds;
}

void ForwardPlanner::Work::make_batches() {
  own_.filled_.clear();
  own_.batch_of_cell_.assign(tape_.cells.size(), Layout::pending);
  if (!options_.reuse) {
    own_.count_.assign(tape_.cells.size(), 0);
    for (const Step& s : schedule_.steps) own_.count_[s.cell] += s.end - s.begin;
  }
  for (const Step& s : schedule_.steps) {
    const uint32_t n = s.end - s.begin;
    uint32_t batch = own_.batch_of_cell_[s.cell];
    if (batch == Layout::pending || options_.reuse) {
      batch = static_cast<uint32_t>(layout_.batches.size());
      own_.batch_of_cell_[s.cell] = batch;
      open_batch(s.cell, options_.reuse ? n : own_.count_[s.cell]);
    }
    uint32_t& filled = own_.filled_[batch - first_batch_];
    layout_.steps.push_back({batch, filled, n});
    fill_rows(batch, filled, std::span(schedule_.order).subspan(s.begin, n));
    filled += n;
  }
  for (size_t r = first_batch_; r < layout_.batches.size(); ++r) fill_lists(layout_.batches[r]);
}

void ForwardPlanner::Work::open_batch(uint32_t cell, uint32_t rows) {
  CellBatch r;
  r.cell = cell;
  r.program = tape_.cells[cell].get();
  r.rows = rows;
  for (const Buffer& b : r.program->code.buffers)
    if (b.size > options_.row_limit)
      throw DeviceError("plan: a row of cell '" + str(r.program->name) + "' has " + std::to_string(b.size) +
                        " elements; the device holds at most " + std::to_string(options_.row_limit) + " per row");
  r.first_call = grow(layout_.calls, rows);
  r.first_base = static_cast<uint32_t>(layout_.bases.size());
  layout_.bases.resize(layout_.bases.size() + r.program->code.buffers.size(), no_offset);
  r.first_input = static_cast<uint32_t>(layout_.inputs.size());
  layout_.inputs.resize(layout_.inputs.size() + r.program->rows.size());
  r.first_segment = grow(layout_.segments, static_cast<uint32_t>(r.program->groups()) * (rows + 1));
  r.first_column = grow(layout_.columns, rows * static_cast<uint32_t>(r.program->indices.size() +
                                                                      static_cast<size_t>(r.program->numbers)));
  r.first_key = grow(layout_.keys, r.program->random ? rows : 0);
  layout_.batches.push_back(r);
  own_.filled_.push_back(0);
}

// Writes the calls of a step, and their integers and numbers column by column.
void ForwardPlanner::Work::fill_rows(uint32_t batch, uint32_t first, std::span<const uint32_t> calls) {
  const CellBatch& r = layout_.batches[batch];
  std::copy(calls.begin(), calls.end(), layout_.calls.begin() + r.first_call + first);
  uint32_t row = first;
  for (const uint32_t call : calls) layout_.call_rows[call] = {batch, row++};
  const size_t ints = r.program->indices.size() + static_cast<size_t>(r.program->numbers);
  if (ints == 0) return;
  int32_t* out = &layout_.columns[r.first_column + first];
  for (const uint32_t call : calls) {
    const int32_t* from = tape_.ints.data() + tape_.call[call].first_int;
    for (size_t i = 0; i < ints; ++i) out[i * r.rows] = from[i];
    ++out;
  }
}

// Writes random keys, and the lengths of groups as running sums.
void ForwardPlanner::Work::fill_lists(const CellBatch& r) {
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

// Indexes the steps of each cell batch.
void ForwardPlanner::Work::index_steps() {
  const size_t batches = layout_.batches.size() - first_batch_;
  own_.step_first_.assign(batches + 1, 0);
  for (size_t s = first_step_; s < layout_.steps.size(); ++s)
    ++own_.step_first_[layout_.steps[s].batch - first_batch_ + 1];
  for (size_t r = 0; r < batches; ++r) own_.step_first_[r + 1] += own_.step_first_[r];
  own_.step_of_batch_.resize(layout_.steps.size() - first_step_);
  own_.filled_.assign(batches, 0);
  for (size_t s = first_step_; s < layout_.steps.size(); ++s) {
    const size_t r = layout_.steps[s].batch - first_batch_;
    own_.step_of_batch_[own_.step_first_[r] + own_.filled_[r]++] = static_cast<uint32_t>(s);
  }
}

void ForwardPlanner::plan(const GraphTape& tape, const Schedule& schedule, std::span<const uint32_t> keep,
                          const PlanOptions& options, Layout& layout, Plan& plan) {
  const Layout::Mark before = layout.mark();
  try {
    Work{*this, tape, schedule, keep, options, layout, plan}.run();
#ifdef ESPALIER_VERIFY_PLANS
    verify(plan, layout, tape, keep);
#endif
  } catch (...) {
    layout.revert(before, schedule.order);
    throw;
  }
}

}  // namespace espalier
