// Where rows are, and where the rows of an input come from.
#include "plan/forward_work.h"

namespace espalier {

// A product over all steps reads an input in place only if that costs few extra launches.
constexpr uint32_t most_pieces = 4;

void ForwardPlanner::Work::note_values(const CellRun& r) {
  const Code& code = r.program->code;
  const std::span calls = std::span(layout_.calls).subspan(r.first_call, r.rows);
  for (size_t k = 0; k < code.output_buffer.size(); ++k) {
    auto at = static_cast<uint32_t>(layout_.base(r, code.output_buffer[k]) / unit);
    const auto stride = static_cast<uint32_t>(code.buffers[static_cast<size_t>(code.output_buffer[k])].stride / unit);
    for (const uint32_t call : calls) {
      layout_.unit_of[tape_.call[call].first_value + k] = at;
      at += stride;
    }
  }
}

// Keeps the rows of each input as a gather or as pieces in place.
void ForwardPlanner::Work::place_inputs(size_t run, uint64_t& top) {
  const CellRun& r = layout_.runs[run];
  const Code& code = r.program->code;
  const Signature& signature = tape_.signatures[r.cell];
  const uint32_t rows = collect_rows(r);
  for (size_t j = 0; j < signature.inputs.size(); ++j) {
    const Signature::Input& in = signature.inputs[j];
    const auto b = static_cast<size_t>(code.input_buffer[j]);
    const Buffer& buffer = code.buffers[b];
    const uint32_t source = in.of_group ? collect_items(r, j) : rows + in.arg * r.rows;
    InputPlace& place = layout_.inputs[r.first_input + j];
    place.first = static_cast<uint32_t>(layout_.placed.size());
    place.gathered = buffer.inside >= 0 || !in_place(run, buffer, source);
    if (buffer.inside >= 0) {
      layout_.placed.push_back(
          {0, code.buffers[static_cast<size_t>(buffer.inside)].stride, layout_.base(r, buffer.inside) + buffer.at});
      place.source = source;
    } else if (place.gathered) {
      layout_.placed.resize(place.first);
      top = aligned(top);
      layout_.placed.push_back({0, buffer.stride, top});
      layout_.bases[r.first_base + b] = top;
      top = end_of(top, layout_.rows_in(r, buffer.space), buffer.stride);
      place.source = source;
    } else if (in.of_group) {
      plan_.sources.resize(source);
    }
    place.count = static_cast<uint32_t>(layout_.placed.size()) - place.first;
  }
}

// Where the plain rows of all calls are, argument after argument. Returns the first of them in the plan's sources.
uint32_t ForwardPlanner::Work::collect_rows(const CellRun& r) {
  const auto first = static_cast<uint32_t>(plan_.sources.size());
  const uint32_t rows = tape_.signatures[r.cell].rows;
  if (rows == 0) return first;
  plan_.sources.resize(first + size_t{rows} * r.rows);
  uint32_t* out = plan_.sources.data() + first;
  for (const uint32_t call : std::span(layout_.calls).subspan(r.first_call, r.rows)) {
    const uint32_t* arg = tape_.args.data() + tape_.call[call].first_arg;
    for (size_t i = 0; i < rows; ++i) out[i * r.rows] = layout_.unit_of[tape_.source(arg[i])];
    ++out;
  }
  return first;
}

// The same for the rows of a group.
uint32_t ForwardPlanner::Work::collect_items(const CellRun& r, size_t input) {
  const auto first = static_cast<uint32_t>(plan_.sources.size());
  for (const uint32_t call : std::span(layout_.calls).subspan(r.first_call, r.rows))
    for (uint32_t v : tape_.row_values(call, input)) plan_.sources.push_back(layout_.unit_of[tape_.source(v)]);
  return first;
}

// Whether each step's rows lie at one stride; writes the pieces.
bool ForwardPlanner::Work::in_place(size_t run, const Buffer& buffer, uint32_t first_source) {
  const CellRun& r = layout_.runs[run];
  const uint64_t least = buffer.stride / unit;
  const size_t first_piece = layout_.placed.size();
  for (uint32_t s = own_.step_first_[run - first_run_]; s < own_.step_first_[run - first_run_ + 1]; ++s) {
    const RunStep& step = layout_.steps[own_.step_of_run_[s]];
    const uint32_t begin = layout_.first_in(r, buffer.space, step.first);
    const uint32_t end = layout_.first_in(r, buffer.space, step.first + step.rows);
    if (begin == end) continue;
    const uint32_t* src = &plan_.sources[first_source];
    uint64_t stride = least;
    if (end - begin > 1) {
      if (src[begin + 1] < src[begin] + least) return false;
      stride = uint64_t{src[begin + 1]} - src[begin];
      for (uint32_t i = begin + 1; i < end; ++i)
        if (uint64_t{src[i]} - src[i - 1] != stride) return false;
    }
    if (layout_.placed.size() > first_piece) {
      Placed& last = layout_.placed.back();
      // A piece of one row goes on at any stride; else the stride must be the same.
      const uint64_t next = last.offset + (begin - last.first) * stride * unit;
      if (last.stride == stride * unit && next == uint64_t{src[begin]} * unit) continue;
    }
    layout_.placed.push_back({begin, stride * unit, uint64_t{src[begin]} * unit});
    if (buffer.accumulated && layout_.placed.size() - first_piece > most_pieces) return false;
  }
  if (layout_.placed.size() == first_piece) layout_.placed.push_back({0, buffer.stride, 0});  // no rows at all
  return true;
}

}  // namespace espalier
