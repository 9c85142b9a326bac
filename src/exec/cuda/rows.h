// What moves and sums rows on the GPU: the kernels that know no op.
#pragma once
#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

#include "plan/plan.h"

namespace espalier {

// The gathers of a step, in one launch. `base` is the arena; all else is on the device but `host`, which says the same
// as `gathers` for the size of the grid.
struct GatherLaunch {
  float* base = nullptr;
  const uint32_t* sources = nullptr;
  const uint32_t* offsets = nullptr;
  const Gather* gathers = nullptr;
  std::span<const Gather> host;
  uint64_t shadow = 0;  // rows go there, too (bf16/rounding.h)
};
void cuda_gather(const GatherLaunch& launch, cudaStream_t stream);

// Row row[i] of `out` becomes the sum of rows at base + source[k] (elements), k in offsets[i] … offsets[i+1] - 1, in
// their order; row null: row i. With `adds`, it is added to what is there.
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
// Numbers of calls become rows of one element.
void cuda_numbers(const int32_t* bits, int64_t rows, float* out, int64_t stride, cudaStream_t stream);

// sum = Σ rows, or sum + Σ rows, in an order that depends on the number of rows alone. `scratch` holds
// column_sum_scratch(rows, size) floats.
size_t column_sum_scratch(int64_t rows, int64_t size);
void cuda_column_sum(const float* data, int64_t stride, int64_t rows, int64_t size, bool adds, float* scratch,
                     float* sum, cudaStream_t stream);

// Rows of `ranges` (offsets and sizes in elements), one after the other; `begin` says where each begins in `out`.
void cuda_collect(const float* base, const Range* ranges, const uint64_t* begin, size_t n, float* out,
                  cudaStream_t stream);

}  // namespace espalier
