// Forward plans. Every cell of the round gets one region per buffer over all its steps; then every (cell, input) is
// placed: in place where the rows of each step lie at a constant stride, else gathered into a region of its own.
#include <algorithm>

#include "plan/free_list.h"
#include "plan/plan.h"

namespace espalier {
namespace {

// A product over all steps reads an input in place only if that costs few extra launches.
constexpr uint32_t most_pieces = 4;

// The sizes of a layout, to take a failed round back.
struct Sizes {
  explicit Sizes(const Layout& l)
      : runs(l.runs.size()),
        calls(l.calls.size()),
        bases(l.bases.size()),
        inputs(l.inputs.size()),
        placed(l.placed.size()),
        segments(l.segments.size()),
        columns(l.columns.size()),
        keys(l.keys.size()),
        steps(l.steps.size()),
        top(l.top) {}
  void restore(Layout& l, const Schedule& schedule) const {
    l.runs.resize(runs);
    l.calls.resize(calls);
    l.bases.resize(bases);
    l.inputs.resize(inputs);
    l.placed.resize(placed);
    l.segments.resize(segments);
    l.columns.resize(columns);
    l.keys.resize(keys);
    l.steps.resize(steps);
    l.top = top;
    for (uint32_t call : schedule.order) l.run_of[call] = Layout::pending;
  }
  size_t runs, calls, bases, inputs, placed, segments, columns, keys, steps;
  uint64_t top;
};

}  // namespace

struct ForwardPlanner::Work {
  void run() {
    plan_.clear();
    layout_.run_of.resize(tape_.calls(), Layout::pending);
    layout_.row_of.resize(tape_.calls(), 0);
    layout_.unit_of.resize(tape_.values(), 0);
    first_run_ = layout_.runs.size();
    first_step_ = layout_.steps.size();
    make_runs();
    index_steps();
    for (size_t r = first_run_; r < layout_.runs.size(); ++r) fill_columns(layout_.runs[r]);
    if (options_.reuse)
      place_reusing();
    else
      place_keeping();
    ++layout_.rounds;
  }

  static bool lives_on(Buffer::Kind kind) { return kind == Buffer::Kind::output || kind == Buffer::Kind::kept; }

  void make_runs() {
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
      CellRun& r = layout_.runs[run];
      uint32_t& at = own_.filled_[run - first_run_];
      layout_.steps.push_back({run, at, n});
      for (uint32_t i = s.begin; i < s.end; ++i) {
        const uint32_t call = schedule_.order[i];
        layout_.calls[r.first_call + at] = call;
        layout_.run_of[call] = run;
        layout_.row_of[call] = at++;
      }
    }
  }

  // Which steps a run has: they are few and scattered among all.
  void index_steps() {
    const size_t runs = layout_.runs.size() - first_run_;
    own_.step_first_.assign(runs + 1, 0);
    for (size_t s = first_step_; s < layout_.steps.size(); ++s)
      ++own_.step_first_[layout_.steps[s].run - first_run_ + 1];
    for (size_t r = 0; r < runs; ++r) own_.step_first_[r + 1] += own_.step_first_[r];
    own_.step_of_run_.resize(layout_.steps.size() - first_step_);
    own_.filled_.assign(runs, 0);
    for (size_t s = first_step_; s < layout_.steps.size(); ++s) {
      const size_t r = layout_.steps[s].run - first_run_;
      own_.step_of_run_[own_.step_first_[r] + own_.filled_[r]++] = static_cast<uint32_t>(s);
    }
  }

  void open_run(uint32_t cell, uint32_t rows) {
    CellRun r;
    r.cell = cell;
    r.program = tape_.cells[cell].get();
    r.rows = rows;
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

  template <class T>
  static uint32_t grow(std::vector<T>& v, uint32_t n) {
    const auto at = static_cast<uint32_t>(v.size());
    v.resize(v.size() + n);
    return at;
  }

  // Integers, numbers and keys of all calls, column by column; lengths of groups as running sums.
  void fill_columns(const CellRun& r) {
    const Program& p = *r.program;
    const size_t ints = p.indices.size() + static_cast<size_t>(p.numbers);
    uint32_t call_rows = 0;
    for (const RowInput& in : p.rows) call_rows += in.space == call_space;
    for (uint32_t row = 0; row < r.rows; ++row) {
      const uint32_t call = layout_.calls[r.first_call + row];
      const int32_t* from = tape_.ints.data() + tape_.call[call].first_int;
      for (size_t i = 0; i < ints; ++i) layout_.columns[r.first_column + i * r.rows + row] = from[i];
      if (p.random)
        layout_.keys[r.first_key + row] =
            static_cast<uint32_t>(from[ints]) | uint64_t{static_cast<uint32_t>(from[ints + 1])} << 32;
      for (int g = 0; g < p.groups(); ++g) {
        uint32_t* seg = &layout_.segments[r.first_segment + static_cast<uint32_t>(g) * (r.rows + 1)];
        const uint32_t group = tape_.args[tape_.call[call].first_arg + call_rows + static_cast<uint32_t>(g)];
        seg[row + 1] = seg[row] + tape_.groups[group].count;
      }
    }
  }

  // ---- training: every row lives until the graph is cleared
  void place_keeping() {
    uint64_t top = layout_.top;
    for (size_t i = first_run_; i < layout_.runs.size(); ++i) {
      const CellRun& r = layout_.runs[i];
      const auto& buffers = r.program->code.buffers;
      for (size_t b = 0; b < buffers.size(); ++b)
        if (lives_on(buffers[b].kind)) take(r, b, top);
      note_values(r);
    }
    for (size_t i = first_run_; i < layout_.runs.size(); ++i)
      for (size_t j = 0; j < layout_.runs[i].program->rows.size(); ++j) place_input(layout_.runs[i], i, j, top);
    layout_.top = top;
    plan_.regions = top;
    check_limit(top + scratch_needed());
    for (size_t s = first_step_; s < layout_.steps.size(); ++s) emit(layout_.steps[s], top);
  }

  void take(const CellRun& r, size_t buffer, uint64_t& top) {
    const Buffer& b = r.program->code.buffers[buffer];
    layout_.bases[r.first_base + buffer] = top;
    top += uint64_t{layout_.rows_in(r, b.space)} * b.stride;
  }

  void note_values(const CellRun& r) {
    const Code& code = r.program->code;
    for (size_t k = 0; k < code.output_buffer.size(); ++k) {
      uint64_t at = layout_.base(r, code.output_buffer[k]) / unit;
      const uint32_t stride = code.buffers[static_cast<size_t>(code.output_buffer[k])].stride / unit;
      for (uint32_t row = 0; row < r.rows; ++row, at += stride)
        layout_.unit_of[tape_.call[layout_.calls[r.first_call + row]].first_value + k] = static_cast<uint32_t>(at);
    }
  }

  // Collects where the rows of input j come from; keeps them as a gather or as pieces in place.
  void place_input(const CellRun& r, size_t run, size_t j, uint64_t& top) {
    const Buffer& buffer = r.program->code.buffers[static_cast<size_t>(r.program->code.input_buffer[j])];
    const auto first_source = static_cast<uint32_t>(plan_.sources.size());
    collect_sources(r, j);
    InputPlace& place = layout_.inputs[r.first_input + j];
    place.first = static_cast<uint32_t>(layout_.placed.size());
    if (in_place(run, buffer, first_source)) {
      plan_.sources.resize(first_source);
      place.gathered = false;
    } else {
      layout_.placed.resize(place.first);
      place.gathered = true;
      layout_.placed.push_back({0, buffer.stride, top});
      layout_.bases[r.first_base + static_cast<size_t>(r.program->code.input_buffer[j])] = top;
      top += uint64_t{layout_.rows_in(r, buffer.space)} * buffer.stride;
      place.source = first_source;
    }
    place.count = static_cast<uint32_t>(layout_.placed.size()) - place.first;
  }

  void collect_sources(const CellRun& r, size_t j) {
    const Program& p = *r.program;
    if (p.rows[j].space != call_space) {
      for (uint32_t row = 0; row < r.rows; ++row)
        for (uint32_t v : tape_.row_values(layout_.calls[r.first_call + row], j))
          plan_.sources.push_back(layout_.unit_of[v]);
      return;
    }
    uint32_t k = 0;
    for (size_t i = 0; i < j; ++i) k += p.rows[i].space == call_space;
    const size_t at = plan_.sources.size();
    plan_.sources.resize(at + r.rows);
    for (uint32_t row = 0; row < r.rows; ++row)
      plan_.sources[at + row] =
          layout_.unit_of[tape_.args[tape_.call[layout_.calls[r.first_call + row]].first_arg + k]];
  }

  // Whether each step's rows lie at one stride; writes the pieces.
  bool in_place(size_t run, const Buffer& buffer, uint32_t first_source) {
    const CellRun& r = layout_.runs[run];
    const uint32_t least = buffer.stride / unit;
    const size_t first_piece = layout_.placed.size();
    for (uint32_t s = own_.step_first_[run - first_run_]; s < own_.step_first_[run - first_run_ + 1]; ++s) {
      const RunStep& step = layout_.steps[own_.step_of_run_[s]];
      const uint32_t begin = layout_.first_in(r, buffer.space, step.first);
      const uint32_t end = layout_.first_in(r, buffer.space, step.first + step.rows);
      if (begin == end) continue;
      const uint32_t* src = &plan_.sources[first_source];
      uint32_t stride = least;
      if (end - begin > 1) {
        if (src[begin + 1] < src[begin] + least) return false;
        stride = src[begin + 1] - src[begin];
        for (uint32_t i = begin + 1; i < end; ++i)
          if (src[i] - src[i - 1] != stride) return false;
      }
      if (layout_.placed.size() > first_piece) {
        Placed& last = layout_.placed.back();
        // A piece of one row goes on at any stride; else the stride must be the same.
        const uint64_t next = last.offset + uint64_t{begin - last.first} * stride * unit;
        if (last.stride == stride * unit && next == uint64_t{src[begin]} * unit) continue;
      }
      layout_.placed.push_back({begin, stride * unit, uint64_t{src[begin]} * unit});
      if (buffer.accumulated && layout_.placed.size() - first_piece > most_pieces) return false;
    }
    if (layout_.placed.size() == first_piece) layout_.placed.push_back({0, buffer.stride, 0});  // no rows at all
    return true;
  }

  uint64_t scratch_of(const RunStep& step) const {
    const CellRun& r = layout_.runs[step.run];
    uint64_t n = 0;
    for (const Buffer& b : r.program->code.buffers)
      if (is_scratch(b.kind)) n += rows_of(r, step, b.space) * b.stride;
    return n;
  }
  bool is_scratch(Buffer::Kind kind) const {
    return kind == Buffer::Kind::scratch ||
           (options_.reuse && (kind == Buffer::Kind::kept || kind == Buffer::Kind::input));
  }
  uint64_t rows_of(const CellRun& r, const RunStep& step, int space) const {
    return layout_.first_in(r, space, step.first + step.rows) - layout_.first_in(r, space, step.first);
  }
  uint64_t scratch_needed() {
    uint64_t most = 0;
    for (size_t s = first_step_; s < layout_.steps.size(); ++s) most = std::max(most, scratch_of(layout_.steps[s]));
    plan_.scratch = most;
    return most;
  }

  void check_limit(uint64_t elements) {
    plan_.elements = elements;
    if (elements > options_.limit_elements) over_the_limit(elements, plan_.regions, options_.limit_elements);
  }

  void emit(const RunStep& step, uint64_t scratch) {
    const CellRun& r = layout_.runs[step.run];
    const Code& code = r.program->code;
    PlanStep out;
    out.program = r.program;
    out.run = &r;
    out.first = step.first;
    out.rows = step.rows;
    out.first_binding = static_cast<uint32_t>(plan_.bindings.size());
    out.first_gather = static_cast<uint32_t>(plan_.gathers.size());
    for (size_t b = 0; b < code.buffers.size(); ++b) {
      const Buffer& buffer = code.buffers[b];
      Binding bind{nowhere, buffer.stride};
      const uint32_t first = layout_.first_in(r, buffer.space, step.first);
      if (is_scratch(buffer.kind) && !(buffer.kind == Buffer::Kind::input && !gathered(r, buffer))) {
        bind.offset = scratch;
        scratch += rows_of(r, step, buffer.space) * buffer.stride;
      } else if (buffer.kind == Buffer::Kind::input) {
        const Placed p = layout_.input_at(r, static_cast<size_t>(buffer.which), first);
        bind = {p.offset + uint64_t{first - p.first} * p.stride, p.stride};
      } else if (const uint64_t base = layout_.base(r, static_cast<int>(b)); base != nowhere) {
        bind.offset = base + uint64_t{first} * buffer.stride;
      }
      plan_.bindings.push_back(bind);
    }
    for (size_t j = 0; j < r.program->rows.size(); ++j) {
      const Buffer& buffer = code.buffers[static_cast<size_t>(code.input_buffer[j])];
      if (!layout_.inputs[r.first_input + j].gathered) continue;
      const uint32_t first = layout_.first_in(r, buffer.space, step.first);
      const auto rows = static_cast<uint32_t>(rows_of(r, step, buffer.space));
      if (rows == 0) continue;
      plan_.gathers.push_back({layout_.inputs[r.first_input + j].source + first, ~uint32_t{0}, rows, buffer.size,
                               buffer.stride,
                               plan_.bindings[out.first_binding + static_cast<size_t>(code.input_buffer[j])].offset});
    }
    out.gathers = static_cast<uint32_t>(plan_.gathers.size()) - out.first_gather;
    plan_.steps.push_back(out);
  }

  bool gathered(const CellRun& r, const Buffer& buffer) const {
    return layout_.inputs[r.first_input + static_cast<uint32_t>(buffer.which)].gathered;
  }
  // ---- inference: a step's outputs are freed after the last step that reads them
  void place_reusing() {
    const size_t steps = layout_.steps.size() - first_step_;
    own_.last_use_.assign(layout_.runs.size(), 0);
    for (size_t s = 0; s < steps; ++s) own_.last_use_[layout_.steps[first_step_ + s].run] = static_cast<uint32_t>(s);
    for (size_t s = 0; s < steps; ++s) {
      const CellRun& r = layout_.runs[layout_.steps[first_step_ + s].run];
      for (uint32_t row = 0; row < r.rows; ++row)
        for (size_t j = 0; j < r.program->rows.size(); ++j)
          for (uint32_t v : tape_.row_values(layout_.calls[r.first_call + row], j))
            own_.last_use_[layout_.run_of[tape_.value[v].call]] = static_cast<uint32_t>(s);
    }
    for (uint32_t v : keep_) own_.last_use_[layout_.run_of[tape_.value[v].call]] = Layout::pending;
    sort_by_last_use(steps);
    own_.freed_after_.clear();
    FreeList& free = own_.free_;
    free.start(layout_.top);
    for (size_t s = 0; s < steps; ++s) {
      const RunStep step = layout_.steps[first_step_ + s];
      const CellRun& r = layout_.runs[step.run];
      const auto& buffers = r.program->code.buffers;
      for (size_t b = 0; b < buffers.size(); ++b)
        if (buffers[b].kind == Buffer::Kind::output)
          layout_.bases[r.first_base + b] = free.take(uint64_t{r.rows} * buffers[b].stride);
      note_values(r);
      uint64_t unused = 0;
      for (size_t j = 0; j < r.program->rows.size(); ++j) place_input(r, step.run, j, unused);
      for (uint32_t i = own_.expiring_first_[s]; i < own_.expiring_first_[s + 1]; ++i)
        release(layout_.runs[own_.expiring_[i]], free);
      own_.freed_after_.push_back(static_cast<uint32_t>(plan_.freed.size()));
    }
    plan_.regions = free.top();
    check_limit(free.top() + scratch_needed());
    for (size_t s = 0; s < steps; ++s) {
      emit(layout_.steps[first_step_ + s], free.top());
      plan_.steps.back().first_freed = s == 0 ? 0 : own_.freed_after_[s - 1];
      plan_.steps.back().freed = own_.freed_after_[s] - plan_.steps.back().first_freed;
    }
    layout_.top = free.top();
  }

  void sort_by_last_use(size_t steps) {
    auto& first = own_.expiring_first_;
    first.assign(steps + 2, 0);
    for (size_t r = first_run_; r < layout_.runs.size(); ++r)
      if (own_.last_use_[r] != Layout::pending) ++first[own_.last_use_[r] + 2];
    for (size_t s = 2; s < first.size(); ++s) first[s] += first[s - 1];
    own_.expiring_.resize(layout_.runs.size() - first_run_);
    for (size_t r = first_run_; r < layout_.runs.size(); ++r)
      if (own_.last_use_[r] != Layout::pending)
        own_.expiring_[first[own_.last_use_[r] + 1]++] = static_cast<uint32_t>(r);
  }

  void release(const CellRun& r, FreeList& free) {
    const auto& buffers = r.program->code.buffers;
    for (size_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].kind != Buffer::Kind::output) continue;
      const uint64_t size = uint64_t{r.rows} * buffers[b].stride;
      free.give(layout_.base(r, static_cast<int>(b)), size);
      plan_.freed.push_back({layout_.base(r, static_cast<int>(b)), size});
    }
  }

  ForwardPlanner& own_;
  const GraphTape& tape_;
  const Schedule& schedule_;
  std::span<const uint32_t> keep_;
  const PlanOptions& options_;
  Layout& layout_;
  Plan& plan_;
  size_t first_run_ = 0, first_step_ = 0;
};

void ForwardPlanner::plan(const GraphTape& tape, const Schedule& schedule, std::span<const uint32_t> keep,
                          const PlanOptions& options, Layout& layout, Plan& plan) {
  const Sizes before(layout);
  try {
    Work{*this, tape, schedule, keep, options, layout, plan}.run();
  } catch (...) {
    before.restore(layout, schedule);
    throw;
  }
}

}  // namespace espalier
