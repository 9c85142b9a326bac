// Addresses of values, and the placement of inputs: in place or gathered.
#include "plan/forward/work.h"

namespace espalier {

// A weight gradient reads an input of all steps in place only if its rows are at most this many strided pieces, since
// each piece needs a launch.
constexpr uint32_t max_pieces = 4;

void ForwardPlanner::Work::note_values(const CellBatch& r) {
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

// Places each input: as strided rows in place, or as the sources of a gather.
void ForwardPlanner::Work::place_inputs(size_t batch, uint64_t& top) {
  const CellBatch& r = layout_.batches[batch];
  const Code& code = r.program->code;
  const Signature& signature = tape_.signatures[r.cell];
  const uint32_t rows = collect_rows(r);
  for (size_t j = 0; j < signature.inputs.size(); ++j) {
    const Signature::Input& in = signature.inputs[j];
    const auto b = static_cast<size_t>(code.input_buffer[j]);
    const Buffer& buffer = code.buffers[b];
    const uint32_t source = in.of_group ? collect_items(r, j) : rows + in.arg * r.rows;
    InputPlacement& place = layout_.inputs[r.first_input + j];
    place.first = static_cast<uint32_t>(layout_.strided.size());
    place.gathered = buffer.inside >= 0 || !in_place(batch, buffer, source);
    if (buffer.inside >= 0) {
      layout_.strided.push_back(
          {0, code.buffers[static_cast<size_t>(buffer.inside)].stride, layout_.base(r, buffer.inside) + buffer.at});
      place.source = source;
    } else if (place.gathered) {
      layout_.strided.resize(place.first);
      place.source = source;
      if (is_dropped(r, b)) {  // gathered into scratch, chunk by chunk
        layout_.strided.push_back({0, buffer.stride, no_offset});
      } else {
        top = aligned(top);
        layout_.strided.push_back({0, buffer.stride, top});
        layout_.bases[r.first_base + b] = top;
        top = end_of(top, layout_.rows_in(r, buffer.space), buffer.stride);
      }
    } else if (in.of_group) {
      plan_.sources.resize(source);
    }
    place.count = static_cast<uint32_t>(layout_.strided.size()) - place.first;
  }
}

// Appends the addresses of all row arguments, in units, to the plan's sources, argument by argument. Returns the
// position of the first.
uint32_t ForwardPlanner::Work::collect_rows(const CellBatch& r) {
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

// The same for one field of a group.
uint32_t ForwardPlanner::Work::collect_items(const CellBatch& r, size_t input) {
  const auto first = static_cast<uint32_t>(plan_.sources.size());
  for (const uint32_t call : std::span(layout_.calls).subspan(r.first_call, r.rows))
    for (uint32_t v : tape_.row_values(call, input)) plan_.sources.push_back(layout_.unit_of[tape_.source(v)]);
  return first;
}

// Whether the rows of each step have a constant stride. Appends them to Layout::strided.
bool ForwardPlanner::Work::in_place(size_t batch, const Buffer& buffer, uint32_t first_source) {
  const CellBatch& r = layout_.batches[batch];
  const uint64_t least = buffer.stride / unit;
  const size_t first_piece = layout_.strided.size();
  for (uint32_t s = own_.step_first_[batch - first_batch_]; s < own_.step_first_[batch - first_batch_ + 1]; ++s) {
    const BatchRows& step = layout_.steps[own_.step_of_batch_[s]];
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
    if (layout_.strided.size() > first_piece) {
      StridedRows& last = layout_.strided.back();
      // These rows continue the last entry if they have its stride and follow it.
      const uint64_t next = last.offset + (begin - last.first) * stride * unit;
      if (last.stride == stride * unit && next == uint64_t{src[begin]} * unit) continue;
    }
    layout_.strided.push_back({begin, stride * unit, uint64_t{src[begin]} * unit});
    if (buffer.accumulated && layout_.strided.size() - first_piece > max_pieces) return false;
  }
  if (layout_.strided.size() == first_piece)
    layout_.strided.push_back({0, buffer.stride, 0});  // the batch has no rows in this space
  return true;
}

}  // namespace espalier
