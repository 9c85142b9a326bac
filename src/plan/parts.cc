#include "plan/parts.h"

#include <algorithm>

namespace espalier {
namespace {

constexpr uint64_t smallest_total = uint64_t{32} << 20;  // bytes; below this, all rows are summed at once
constexpr uint64_t part_bytes = uint64_t{8} << 20;
constexpr uint64_t min_part_rows = 2048;  // a product over so many rows runs at full speed

}  // namespace

bool is_read_by_sums_only(const Program& program, size_t buffer) {
  const Code& code = program.code;
  if (code.buffers[buffer].kind != Buffer::Kind::dkept) return false;
  const auto& dins = code.din_buffer;
  if (std::find(dins.begin(), dins.end(), static_cast<int>(buffer)) != dins.end()) return false;
  return !code.accumulates(buffer,
                           [&](size_t a) { return program.accumulations[a].kind == Accumulation::Kind::table; });
}

uint32_t rows_per_part(const CellBatch& batch, const PlanOptions& options) {
  // Hoisted kernels read the rows of all steps.
  if (!options.wide || batch.is_wide() || batch.early_inputs.any()) return 0;
  const Code& code = batch.program->code;
  uint64_t stride = 0;
  for (size_t b = 0; b < code.buffers.size(); ++b) {
    if (!is_read_by_sums_only(*batch.program, b)) continue;
    if (code.buffers[b].space > call_space) return 0;
    stride += code.buffers[b].stride;
  }
  for (const CompiledAccumulation& a : code.accumulations)
    if (a.space > call_space) return 0;
  if (stride == 0) return 0;
  const uint64_t bytes = stride * sizeof(float);
  const uint64_t rows =
      options.chunk_rows > 0 ? 2 * uint64_t{options.chunk_rows} : std::max(min_part_rows, part_bytes / bytes);
  const bool pays = options.chunk_rows > 0 || uint64_t{batch.rows} * bytes > smallest_total;
  return pays && batch.rows > rows ? static_cast<uint32_t>(rows) : 0;
}

}  // namespace espalier
