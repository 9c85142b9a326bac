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
    find_active();
    find_roots();
    take_regions();
    list_readers();
    cut_pieces();
    plan.regions = top;
    const uint64_t scratch = top;
    for (size_t i = own.pieces_.size(); i-- > 0;) emit(own.pieces_[i], scratch);
    for (uint32_t v : watched) watch(v);
    plan.elements = std::max(plan.elements, top);
    plan.scratch = plan.elements - plan.regions;
    if (plan.elements > options.limit_elements) over_the_limit(plan.elements, plan.regions, options.limit_elements);
    for (size_t r = 0; r < layout.runs.size(); ++r) accumulate(r);
  }

  static bool trains(const Program& p) {
    return std::any_of(p.accumulations.begin(), p.accumulations.end(),
                       [&](const Accumulation& a) { return !p.parameters[static_cast<size_t>(a.parameter)]->frozen; });
  }

  // ---- who takes part
  void find_active() {
    const uint32_t calls = static_cast<uint32_t>(layout.run_of.size());
    own.wants_.assign(calls, 0);
    own.active_.assign(calls, 0);
    for (uint32_t v : watched) own.wants_[tape.value[v].call] = 1;
    for (uint32_t c = 0; c < calls; ++c) {
      if (!layout.ran(c) || own.wants_[c]) continue;
      const Program& p = tape.program(c);
      own.wants_[c] = trains(p) || any_argument(c, [&](uint32_t producer) { return own.wants_[producer] != 0; });
    }
    for (uint32_t v : losses) own.active_[tape.value[v].call] = 1;
    for (uint32_t c = calls; c-- > 0;)
      if (own.active_[c])
        any_argument(c, [&](uint32_t producer) {
          own.active_[producer] = 1;
          return false;
        });
    for (uint32_t c = 0; c < calls; ++c) own.active_[c] = own.active_[c] && own.wants_[c];
  }

  // Whether f holds for the producer of any argument that passes gradients.
  template <class F>
  bool any_argument(uint32_t call, F&& f) {
    const Program& p = tape.program(call);
    for (size_t j = 0; j < p.rows.size(); ++j)
      if (p.row_gradients[j] >= 0)
        for (uint32_t v : tape.row_values(call, j))
          if (f(tape.value[v].call)) return true;
    return false;
  }

  bool is_active(const CellRun& run, uint32_t number, uint32_t row) const {
    const uint32_t call = layout.calls[run.first_call + row];
    return call < layout.run_of.size() && layout.run_of[call] == number && layout.row_of[call] == row &&
           own.active_[call];
  }

  // ---- which gradients each run must give
  void find_roots() {
    own.roots_.assign(layout.runs.size(), 0);
    for (size_t r = 0; r < layout.runs.size(); ++r) {
      const CellRun& run = layout.runs[r];
      const Program& p = *run.program;
      bool any = false;
      for (uint32_t row = 0; row < run.rows; ++row) {
        if (!is_active(run, static_cast<uint32_t>(r), row)) continue;
        any = true;
        const uint32_t call = layout.calls[run.first_call + row];
        for (size_t j = 0; j < p.rows.size(); ++j) {
          const uint64_t bit = p.code.slot_root[j];
          if (bit == 0 || (own.roots_[r] & bit) != 0) continue;
          for (uint32_t v : tape.row_values(call, j))
            if (own.active_[tape.value[v].call]) {
              own.roots_[r] |= bit;
              break;
            }
        }
      }
      if (!any) continue;
      for (size_t a = 0; a < p.accumulations.size(); ++a)
        if (!p.parameters[static_cast<size_t>(p.accumulations[a].parameter)]->frozen)
          own.roots_[r] |= p.code.accumulation_root[a];
    }
  }

  bool wants_slot(size_t run, size_t j) const {
    const uint64_t bit = layout.runs[run].program->code.slot_root[j];
    return bit != 0 && (own.roots_[run] & bit) != 0;
  }

  // Whether a wanted parameter gradient reads the buffer.
  bool accumulates(size_t run, size_t buffer) const {
    const Code& code = layout.runs[run].program->code;
    auto reads = [&](const RowsOf& rows) {
      return rows.kind == RowsOf::Kind::buffer && rows.which == static_cast<int>(buffer);
    };
    for (size_t a = 0; a < code.accumulations.size(); ++a)
      if ((own.roots_[run] & code.accumulation_root[a]) != 0 &&
          (reads(code.accumulations[a].dy) || reads(code.accumulations[a].x)))
        return true;
    return false;
  }
  // Whether a kernel that runs for the sake of other gradients writes the buffer, too.
  bool writes(size_t run, size_t buffer) const {
    const auto which = static_cast<int>(buffer);
    for (const Kernel& k : layout.runs[run].program->code.backward) {
      if ((k.roots & own.roots_[run]) == 0) continue;
      if (k.kind != Kernel::Kind::run && k.out.which == which) return true;
      for (const Run::Out& out : k.run.out)
        if (out.rows.which == which) return true;
    }
    return false;
  }

  void take_regions() {
    own.bases_.assign(layout.bases.size(), nowhere);
    for (size_t r = 0; r < layout.runs.size(); ++r) {
      if (own.roots_[r] == 0) continue;
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
        own.bases_[run.first_base + b] = top;
        top += uint64_t{layout.rows_in(run, buffer.space)} * buffer.stride;
      }
    }
    seed_ = top;
    top += unit;
    plan.fills.push_back({seed_, scale});
  }

  // ---- for each value, the rows whose sum is its gradient
  template <class F>
  void each_slot(F&& f) {
    for (uint32_t c = 0; c < own.active_.size(); ++c) {
      if (!own.active_[c]) continue;
      const uint32_t r = layout.run_of[c];
      const CellRun& run = layout.runs[r];
      const Program& p = *run.program;
      for (size_t j = 0; j < p.rows.size(); ++j) {
        if (!wants_slot(r, j)) continue;
        const auto b = static_cast<size_t>(p.code.slot_buffer[j]);
        const Buffer& buffer = p.code.buffers[b];
        uint64_t at = own.bases_[run.first_base + b] + p.code.slot_offset[j] +
                      uint64_t{layout.first_in(run, buffer.space, layout.row_of[c])} * buffer.stride;
        for (uint32_t v : tape.row_values(c, j)) {
          if (own.active_[tape.value[v].call]) f(v, at);
          at += buffer.stride;
        }
      }
    }
  }

  void list_readers() {
    auto& first = own.reader_first_;
    first.assign(tape.values() + 1, 0);
    for (uint32_t v : losses) ++first[v + 1];
    each_slot([&](uint32_t v, uint64_t) { ++first[v + 1]; });
    for (size_t v = 0; v + 1 < first.size(); ++v) first[v + 1] += first[v];
    own.reader_.resize(first.back());
    own.next_.assign(first.begin(), first.end() - 1);
    for (uint32_t v : losses) own.reader_[own.next_[v]++] = static_cast<uint32_t>(seed_ / unit);
    each_slot([&](uint32_t v, uint64_t at) { own.reader_[own.next_[v]++] = static_cast<uint32_t>(at / unit); });
  }

  // ---- steps: stretches of active rows
  void cut_pieces() {
    own.pieces_.clear();
    for (const RunStep& s : layout.steps) {
      const CellRun& run = layout.runs[s.run];
      if (own.roots_[s.run] == 0) continue;
      for (uint32_t row = s.first; row < s.first + s.rows;) {
        if (!is_active(run, s.run, row)) {
          ++row;
          continue;
        }
        const uint32_t begin = row;
        while (row < s.first + s.rows && is_active(run, s.run, row)) ++row;
        own.pieces_.push_back({s.run, begin, row - begin});
      }
    }
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
    out.roots = own.roots_[piece.run];
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
        scratch += rows_of(run, piece, buffer.space) * buffer.stride;
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
    const auto first_offset = static_cast<uint32_t>(plan.offsets.size());
    const auto first_source = static_cast<uint32_t>(plan.sources.size());
    bool single = true;
    for (uint32_t row = piece.first; row < piece.first + piece.rows; ++row) {
      const uint32_t v =
          tape.call[layout.calls[run.first_call + row]].first_value + static_cast<uint32_t>(buffer.which);
      plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
      const uint32_t begin = own.reader_first_[v], end = own.reader_first_[v + 1];
      plan.sources.insert(plan.sources.end(), own.reader_.begin() + begin, own.reader_.begin() + end);
      single = single && end - begin == 1;
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
      scratch += uint64_t{piece.rows} * buffer.stride;
    }
    plan.gathers.push_back(
        {single ? first_source : 0, single ? ~uint32_t{0} : first_offset, piece.rows, buffer.size, buffer.stride, at});
    return {at, buffer.stride};
  }

  // The gradient of a watched value: the sum of its readers, in a row of its own.
  void watch(uint32_t v) {
    const uint32_t call = tape.value[v].call;
    const auto size = static_cast<uint32_t>(tape.shape(v).size());
    plan.watched.push_back({v, top});
    if (!own.active_[call]) {
      plan.watched.back().offset = nowhere;  // no loss depends on it
      return;
    }
    const auto first_offset = static_cast<uint32_t>(plan.offsets.size());
    plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
    plan.sources.insert(plan.sources.end(), own.reader_.begin() + own.reader_first_[v],
                        own.reader_.begin() + own.reader_first_[v + 1]);
    plan.offsets.push_back(static_cast<uint32_t>(plan.sources.size()));
    // After every step: scratch of the steps may lie where `top` is, so the row goes above all of it.
    plan.elements = std::max(plan.elements, top);
    const uint64_t at = (plan.elements + unit - 1) / unit * unit;
    plan.elements = at + padded(size);
    plan.watched.back().offset = at;
    plan.final_gathers.push_back({0, first_offset, 1, size, padded(size), at});
  }

  // ---- parameters
  void accumulate(size_t number) {
    if (own.roots_[number] == 0) return;
    const CellRun& run = layout.runs[number];
    const Program& p = *run.program;
    for (size_t a = 0; a < p.accumulations.size(); ++a) {
      if ((own.roots_[number] & p.code.accumulation_root[a]) == 0) continue;
      const auto& slot = p.parameters[static_cast<size_t>(p.accumulations[a].parameter)];
      if (slot->frozen) continue;
      for (uint32_t row = 0; row < run.rows;) {
        if (!is_active(run, static_cast<uint32_t>(number), row)) {
          ++row;
          continue;
        }
        const uint32_t begin = row;
        while (row < run.rows && is_active(run, static_cast<uint32_t>(number), row)) ++row;
        accumulate_rows(run, p.accumulations[a], p.code.accumulations[a], slot, begin, row);
      }
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

  static constexpr uint64_t discarded = nowhere - 1;  // a base: written, never read; each step has it in its scratch
  uint64_t seed_ = 0;
};

void BackwardPlanner::plan(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses, double scale,
                           std::span<const uint32_t> watched, const PlanOptions& options, Plan& plan) {
  Work{*this, tape, layout, losses, scale, watched, options, plan}.run();
}

}  // namespace espalier
