#include "plan/plan.h"

#include <algorithm>

namespace espalier {

void Plan::clear() {
  std::apply([](auto&... array) { (array.clear(), ...); }, arrays(*this));
  infers = defers = false;
  final_accumulations = 0;
  first_batch = 0;
  bottom = 0;
  elements = regions = scratch = 0;
}

namespace {

constexpr uint64_t min_chunk_rows = 64;  // products of fewer rows run below full speed

uint64_t bytes_of_row(const CellBatch& batch, bool backward) {
  uint64_t elements = 0;
  for (const Buffer& b : batch.program->code.buffers) {
    const bool gradient = b.kind == Buffer::Kind::dout || b.kind == Buffer::Kind::din ||
                          b.kind == Buffer::Kind::dkept || b.kind == Buffer::Kind::dscratch;
    const bool temporary = b.kind == Buffer::Kind::scratch;
    if (batch.is_wide() || (backward ? !temporary : !gradient)) elements += b.stride;
  }
  return elements * sizeof(float);
}

}  // namespace

Chunks chunks_of(const CellBatch& batch, const BatchRows& step, bool backward, const PlanOptions& options) {
  uint64_t rows = options.chunk_rows;
  if (rows == 0 && (options.cache_bytes == 0 || step.rows < 2 * min_chunk_rows)) return {step.rows, 1};
  if (rows == 0)
    rows = std::max(min_chunk_rows, options.cache_bytes / std::max<uint64_t>(bytes_of_row(batch, backward), 1) /
                                        min_chunk_rows * min_chunk_rows);
  // The last chunk takes up to half a chunk more than the others.
  const uint64_t count = std::max<uint64_t>((step.rows + rows / 2) / rows, 1);
  return {static_cast<uint32_t>(std::min<uint64_t>(rows, step.rows)), static_cast<uint32_t>(count)};
}

uint64_t end_of(uint64_t top, uint64_t rows, uint64_t stride) {
  constexpr uint64_t most = uint64_t{1} << 60;
  uint64_t more = 0;
  if (__builtin_mul_overflow(rows, stride, &more) || more > most || top > most - more)
    throw DeviceError("plan: " + std::to_string(rows) + " rows of " + std::to_string(stride) +
                      " elements are needed in addition to " + std::to_string(top) +
                      " elements, more than any memory holds; make the minibatch or the rows smaller");
  return top + more;
}

void over_the_limit(uint64_t needed, uint64_t regions, uint64_t limit, bool recomputes) {
  const int shift = limit * sizeof(float) < (10u << 20) ? 10 : 20;
  const std::string unit_name = shift == 10 ? " KiB" : " MiB";
  auto size = [&](uint64_t n) { return std::to_string((n * sizeof(float) + (uint64_t{1} << shift) - 1) >> shift); };
  throw DeviceError("plan: " + size(needed) + unit_name + " are needed (" + size(regions) + " for rows, " +
                    size(needed - regions) + " for scratch" +
                    (recomputes ? ", although the backward pass computes rows again" : "") + ") and the limit is " +
                    size(limit) + unit_name + "; make the minibatch smaller or raise the engine's memory_limit");
}

}  // namespace espalier
