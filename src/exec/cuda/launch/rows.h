// Kernels that move and sum rows.
#pragma once
#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

#include "plan/plan.h"

namespace espalier {

// The gathers of a step in one launch. All pointers are to the device; `base` is the arena. `host` is a copy of
// `gathers` on the host, for the size of the grid.
struct GatherLaunch {
  float* base = nullptr;
  const uint32_t* sources = nullptr;
  const uint32_t* offsets = nullptr;
  const Gather* gathers = nullptr;
  std::span<const Gather> host;
  uint64_t bf16_copy = 0;  // locates the bf16 copy, which is written as well (gpu/device/rounding.cuh); 0: no copy
};
void cuda_gather(const GatherLaunch& launch, cudaStream_t stream);

// Row row[i] of `out` becomes the sum of the rows at base + source[k] (in elements) for k from offsets[i] to
// offsets[i+1] - 1, in order. row null: row i. adds: the sum is added to the row.
struct TableSum {
  const float* base = nullptr;
  const uint64_t* source = nullptr;
  const uint32_t* offsets = nullptr;
  const int32_t* row = nullptr;
  int64_t rows = 0;
  uint32_t size = 0;
  float* out = nullptr;
  bool adds = false;
};
void cuda_table_sum(const TableSum& sum, cudaStream_t stream);

void cuda_fill(float* base, const Fill* fills, size_t n, cudaStream_t stream);
// Writes numbers of calls as rows of one element.
void cuda_numbers(const int32_t* bits, int64_t rows, float* out, int64_t stride, cudaStream_t stream);

// Sets `sum` to the sum of the rows, or adds to it if `adds`, in an order that depends only on the number of rows.
// `scratch` holds column_sum_scratch(rows, size) floats.
size_t column_sum_scratch(int64_t rows, int64_t size);
void cuda_column_sum(const float* data, int64_t stride, int64_t rows, int64_t size, bool adds, float* scratch,
                     float* sum, cudaStream_t stream);

// Copies ranges (in elements) to `out`; range i begins at out + begin[i].
void cuda_collect(const float* base, const Range* ranges, const uint64_t* begin, size_t n, float* out,
                  cudaStream_t stream);

}  // namespace espalier
