// Backward plans. Gradients are pulled: every argument slot owns a gradient row, written once; a call's backward starts
// by summing the slots of its readers, in recording order. Weight gradients are one product per weight over all steps.
#include <algorithm>

#include "plan/plan.h"

namespace espalier {

struct BackwardPlanner::Work {
  BackwardPlanner& own;
  const GraphTape& tape;
  const Layout& layout;
  std::span<const uint32_t> losses;
  double scale;
  std::span<const uint32_t> watched;
  const PlanOptions& options;
  Plan& plan;
  uint64_t top = 0;

  void run() {
    plan.clear();
    top = layout.top;
    own.readers_.find(tape, layout, losses, watched);
    take_regions();
    cut_pieces();
    plan.regions = top;
    const uint64_t scratch = top;
    for (size_t i = own.pieces_.size(); i-- > 0;) emit(own.pieces_[i], scratch);
    for (uint32_t v : watched) watch(v);
    plan.elements = std::max(plan.elements, top);
    plan.scratch = plan.elements - plan.regions;
    if (plan.elements > options.limit_elements) over_the_limit(plan.elements, plan.regions, options.limit_elements);
    for (size_t r = 0; r < layout.runs.size(); ++r) accumulate(static_cast<uint32_t>(r));
  }

  uint64_t roots(size_t run) const { return own.readers_.roots(run); }
  bool wants_slot(size_t run, size_t j) const {
    const uint64_t bit = layout.runs[run].program->code.slot_root[j];
    return bit != 0 && (roots(run) & bit) != 0;
  }

  // Whether a wanted parameter gradient reads the buffer.
  bool accumulates(size_t run, size_t buffer) const {
    const Code& code = layout.runs[run].program->code;
    auto reads = [&](const RowsOf& rows) {
      return rows.kind == RowsOf::Kind::buffer && rows.which == static_cast<int>(buffer);
    };
    for (size_t a = 0; a < code.accumulations.size(); ++a)
      if ((roots(run) & code.accumulation_root[a]) != 0 &&
          (reads(code.accumulations[a].dy) || reads(code.accumulations[a].x)))
        return true;
    return false;
  }
  // Whether a kernel that runs for the sake of other gradients writes the buffer, too.
  bool writes(size_t run, size_t buffer) const {
    const auto which = static_cast<int>(buffer);
    for (const Kernel& k : layout.runs[run].program->code.backward) {
      if ((k.roots & roots(run)) == 0) continue;
      if (k.kind != Kernel::Kind::run && k.out.which == which) return true;
      for (const Run::Out& out : k.run.out)
        if (out.rows.which == which) return true;
    }
    return false;
  }

  void take_regions() {
    own.bases_.assign(layout.bases.size(), nowhere);
    for (size_t r = 0; r < layout.runs.size(); ++r) {
      if (roots(r) == 0) continue;
      const CellRun& run = layout.runs[r];
      const auto& buffers = run.program->code.buffers;
      for (size_t b = 0; b < buffers.size(); ++b) {
        const Buffer& buffer = buffers[b];
        const bool region =
            buffer.kind == Buffer::Kind::slot
                ? wants_slot(r, static_cast<size_t>(buffer.which)) || accumulates(r, b)
                : buffer.kind == Buffer::Kind::dkept || (buffer.kind == Buffer::Kind::dout && buffer.accumulated);
        if (!region) {
          if (buffer.kind == Buffer::Kind::slot && writes(r, b)) own.bases_[run.first_base + b] = discarded;
          continue;
        }
        own.bases_[run.first_base + b] = top = aligned(top);
        top += uint64_t{layout.rows_in(run, buffer.space)} * buffer.stride;
      }
    }
    note_slots();
    own.slots_.back() = in_units(top, 0);
    seed_ = top;
    plan.fills.push_back({top, scale});
    top = aligned(top + unit);
  }
  void note_slots() {
    own.slots_.assign(layout.inputs.size() + 1, {});
    for (size_t r = 0; r < layout.runs.size(); ++r) {
      const CellRun& run = layout.runs[r];
      const Code& code = run.program->code;
      for (size_t j = 0; j < code.slot_buffer.size(); ++j) {
        if (!wants_slot(r, j)) continue;
        const auto b = static_cast<size_t>(code.slot_buffer[j]);
        own.slots_[run.first_input + j] =
            in_units(own.bases_[run.first_base + b] + code.slot_offset[j], code.buffers[b].stride);
      }
    }
  }
  static SlotRows in_units(uint64_t offset, uint32_t stride) {
    return {static_cast<uint32_t>(offset / unit), stride / unit};
  }

  // A part of a value's gradient: appended to the plan's sources.
  void add_source(const Readers::Slot& slot) {
    const SlotRows& rows = own.slots_[slot.input];
    plan.sources.push_back(rows.first + slot.row * rows.stride);
  }

  // ---- steps: stretches of active rows
  void cut_pieces() {
    own.pieces_.clear();
    for (const RunStep& s : layout.steps)
      own.readers_.each_stretch(layout, s.run, s.first, s.first + s.rows, [&](uint32_t begin, uint32_t end) {
        if (roots(s.run) == 0) return;
        each_portion(*layout.runs[s.run].program, {s.run, begin, end - begin}, true, options,
                     [&](const RunStep& portion) { own.pieces_.push_back(portion); });
      });
  }

  uint64_t rows_of(const CellRun& run, const RunStep& s, int space) const {
    return layout.first_in(run, space, s.first + s.rows) - layout.first_in(run, space, s.first);
  }

  void emit(const RunStep& piece, uint64_t scratch) {
    const CellRun& run = layout.runs[piece.run];
    const Code& code = run.program->code;
    PlanStep out;
    out.program = run.program;
    out.run = &run;
    out.backward = true;
    out.roots = roots(piece.run);
    out.first = piece.first;
    out.rows = piece.rows;
    out.first_binding = static_cast<uint32_t>(plan.bindings.size());
    out.first_gather = static_cast<uint32_t>(plan.gathers.size());
    for (size_t b = 0; b < code.buffers.size(); ++b) {
      const Buffer& buffer = code.buffers[b];
      const uint32_t first = layout.first_in(run, buffer.space, piece.first);
      Binding bind{nowhere, buffer.stride};
      const uint64_t region = own.bases_[run.first_base + b], forward = layout.base(run, static_cast<int>(b));
      if (buffer.kind == Buffer::Kind::dout) {
        bind =
            pull(run, piece, buffer, region == nowhere ? nowhere : region + uint64_t{first} * buffer.stride, scratch);
      } else if (buffer.kind == Buffer::Kind::dscratch || region == discarded) {
        bind.offset = scratch;
        scratch += aligned(rows_of(run, piece, buffer.space) * buffer.stride);
      } else if (buffer.kind == Buffer::Kind::input) {
        const Placed p = layout.input_at(run, static_cast<size_t>(buffer.which), first);
        bind = {p.offset + uint64_t{first - p.first} * p.stride, p.stride};
      } else if (region != nowhere || forward != nowhere) {
        bind.offset = (region != nowhere ? region : forward) + uint64_t{first} * buffer.stride;
      }
      plan.bindings.push_back(bind);
    }
    out.gathers = static_cast<uint32_t>(plan.gathers.size()) - out.first_gather;
    plan.elements = std::max(plan.elements, scratch);
    plan.steps.push_back(out);
  }

  // The gradient of one output over the rows of a piece: in place where each row has one reader and they lie at one
  // stride, else summed.
  Binding pull(const CellRun& run, const RunStep& piece, const Buffer& buffer, uint64_t region, uint64_t& scratch) {
    if (region == nowhere && buffer.size == 1 && are_only_losses(run, piece, buffer)) return {seed_, 0};
    const auto first_offset = static_cast<uint32_t>(plan.offsets.size());
    const auto first_source = static_cast<uint32_t>(plan.sources.size());
    bool single = true;
    for (uint32_t row = piece.first; row < piece.first + piece.rows; ++row) {
      const uint32_t call = layout.calls[run.first_call + row];
      const auto before = static_cast<uint32_t>(plan.sources.size());
      plan.offsets.push_back(before);
      own.readers_.each_slot(tape.call[call].first_value + static_cast<uint32_t>(buffer.which),
                             [&](const Readers::Slot& slot) { add_source(slot); });
      single = single && plan.sources.size() == before + 1;
    }
    plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
    if (single) plan.offsets.resize(first_offset);
    if (single && region == nowhere) {
      const uint32_t* src = &plan.sources[first_source];
      const uint32_t least = buffer.stride / unit;
      const uint32_t stride = piece.rows > 1 ? src[1] - src[0] : least;
      bool even = piece.rows == 1 || src[1] >= src[0] + least;
      for (uint32_t i = 1; i < piece.rows && even; ++i) even = src[i] - src[i - 1] == stride;
      if (even) {
        const Binding bind{uint64_t{src[0]} * unit, stride * unit};
        plan.sources.resize(first_source);
        return bind;
      }
    }
    uint64_t at = region;
    if (at == nowhere) {
      at = scratch;
      scratch += aligned(uint64_t{piece.rows} * buffer.stride);
    }
    plan.gathers.push_back(
        {single ? first_source : 0, single ? ~uint32_t{0} : first_offset, piece.rows, buffer.size, buffer.stride, at});
    return {at, buffer.stride};
  }

  // Then all rows have one gradient, the scale of the losses, and share it.
  bool are_only_losses(const CellRun& run, const RunStep& piece, const Buffer& buffer) const {
    for (uint32_t row = piece.first; row < piece.first + piece.rows; ++row) {
      const uint32_t call = layout.calls[run.first_call + row];
      if (!own.readers_.is_only_a_loss(tape.call[call].first_value + static_cast<uint32_t>(buffer.which), layout))
        return false;
    }
    return true;
  }

  // The gradient of a watched value: the sum of its own readers, in a row of its own. Readers of equal calls, which
  // share its rows, are left out.
  void watch(uint32_t v) {
    const uint32_t call = tape.value[v].call;
    const auto size = static_cast<uint32_t>(tape.shape(v).size());
    plan.watched.push_back({v, top});
    if (!own.readers_.takes_part(call)) {
      plan.watched.back().offset = nowhere;  // no loss depends on it
      return;
    }
    const auto first_offset = static_cast<uint32_t>(plan.offsets.size());
    plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
    own.readers_.each_slot(tape.source(v), [&](const Readers::Slot& slot) {
      if (Readers::given(tape, layout, losses, slot) == v) add_source(slot);
    });
    plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
    // After every step: scratch of the steps may lie where `top` is, so the row goes above all of it.
    plan.elements = std::max(plan.elements, top);
    const uint64_t at = (plan.elements + unit - 1) / unit * unit;
    plan.elements = at + padded(size);
    plan.watched.back().offset = at;
    plan.final_gathers.push_back({0, first_offset, 1, size, padded(size), at});
  }

  // ---- parameters
  void accumulate(uint32_t number) {
    if (roots(number) == 0) return;
    const CellRun& run = layout.runs[number];
    const Program& p = *run.program;
    own.stretches_.clear();
    own.readers_.each_stretch(layout, number, 0, run.rows,
                              [&](uint32_t begin, uint32_t end) { own.stretches_.push_back({begin, end}); });
    for (size_t a = 0; a < p.accumulations.size(); ++a) {
      if ((roots(number) & p.code.accumulation_root[a]) == 0) continue;
      const auto& slot = p.parameters[static_cast<size_t>(p.accumulations[a].parameter)];
      if (slot->frozen) continue;
      for (const auto& [begin, end] : own.stretches_)
        accumulate_rows(run, p.accumulations[a], p.code.accumulations[a], slot, begin, end);
    }
  }

  void accumulate_rows(const CellRun& run, const Accumulation& what, const CompiledAccumulation& c,
                       const std::shared_ptr<Slot>& slot, uint32_t begin_call, uint32_t end_call) {
    uint32_t begin = layout.first_in(run, c.space, begin_call);
    const uint32_t end = layout.first_in(run, c.space, end_call);
    while (begin < end) {
      uint32_t until = end;
      Accumulate out;
      out.kind = what.kind;
      out.slot = &slot;
      out.dy = rows_at(run, c.dy, begin, until);
      if (what.kind == Accumulation::Kind::product) out.x = rows_at(run, c.x, begin, until);
      out.rows = until - begin;
      out.dy_size = c.dy.size;
      out.m = c.m;
      out.n = c.n;
      if (what.kind == Accumulation::Kind::table) {
        const Node& index = run.program->node(what.x);
        if (index.kind == Node::Kind::literal)
          out.literal = index.which;
        else
          out.index = &layout.columns[run.first_column + static_cast<uint32_t>(index.which) * run.rows + begin];
      }
      plan.accumulations.push_back(out);
      begin = until;
    }
  }

  // Rows begin … of an operand; an input in place may end earlier than asked.
  Binding rows_at(const CellRun& run, const RowsOf& rows, uint32_t begin, uint32_t& until) const {
    ESPALIER_CHECK(rows.kind == RowsOf::Kind::buffer);
    const Buffer& buffer = run.program->code.buffers[static_cast<size_t>(rows.which)];
    if (buffer.kind == Buffer::Kind::input) {
      const auto input = static_cast<size_t>(buffer.which);
      const Placed p = layout.input_at(run, input, begin);
      const InputPlace& place = layout.inputs[run.first_input + input];
      for (uint32_t i = place.first; i < place.first + place.count; ++i)
        if (layout.placed[i].first > begin) {
          until = std::min(until, layout.placed[i].first);
          break;
        }
      return {p.offset + uint64_t{begin - p.first} * p.stride + rows.offset, p.stride};
    }
    const auto b = run.first_base + static_cast<size_t>(rows.which);
    const uint64_t base = own.bases_[b] != nowhere ? own.bases_[b] : layout.bases[b];
    ESPALIER_CHECK(base != nowhere);
    return {base + uint64_t{begin} * buffer.stride + rows.offset, buffer.stride};
  }

  uint64_t seed_ = 0;  // where the gradient of a loss is
  static constexpr uint64_t discarded = nowhere - 1;  // a base: written, never read; each step has it in its scratch
};

void BackwardPlanner::plan(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses, double scale,
                           std::span<const uint32_t> watched, const PlanOptions& options, Plan& plan) {
  Work{*this, tape, layout, losses, scale, watched, options, plan}.run();
}

}  // namespace espalier
