#include <algorithm>

#include "exec/cuda/bf16/copy.h"
#include "exec/cuda/check.h"
#include "exec/gpu/device/rounding.cuh"

namespace espalier {
namespace {

constexpr unsigned rounding_threads = 256;

struct WorkItems {
  static constexpr size_t most = 64;
  RowsAt rows[most];
};

__global__ void __launch_bounds__(rounding_threads)
    round_rows(const float* from, const __grid_constant__ WorkItems items, uint16_t* to) {
  const RowsAt r = items.rows[blockIdx.y];
  from += r.offset;
  to += r.offset;
  const bool by_four = ((reinterpret_cast<uintptr_t>(from) & 15) | (reinterpret_cast<uintptr_t>(to) & 7) |
                        (r.stride & 3) | (r.size & 3)) == 0;
  const unsigned of_row = by_four ? r.size / 4 : r.size;
  const uint64_t all = uint64_t{r.rows} * of_row;
  for (uint64_t i = blockIdx.x * uint64_t{rounding_threads} + threadIdx.x; i < all;
       i += uint64_t{gridDim.x} * rounding_threads) {
    const uint64_t at = i / of_row * r.stride + i % of_row * (by_four ? 4 : 1);
    if (by_four) {
      const float4 x = *reinterpret_cast<const float4*>(from + at);
      *reinterpret_cast<uint2*>(to + at) = make_uint2(round_bf16(x.x, x.y), round_bf16(x.z, x.w));
    } else {
      to[at] = round_bf16(from[at]);
    }
  }
}

}  // namespace

void cuda_round(const float* from, std::span<const RowsAt> rows, uint16_t* to, cudaStream_t stream) {
  constexpr uint64_t each = rounding_threads * 4, max_blocks = 4096;
  while (!rows.empty()) {
    WorkItems items;
    const size_t n = std::min(rows.size(), WorkItems::most);
    uint64_t blocks = 0;
    for (size_t i = 0; i < n; ++i) {
      items.rows[i] = rows[i];
      blocks = std::max(blocks, (uint64_t{rows[i].rows} * rows[i].size + each - 1) / each);
    }
    rows = rows.subspan(n);
    if (blocks == 0) continue;
    round_rows<<<dim3(static_cast<unsigned>(std::min(blocks, max_blocks)), static_cast<unsigned>(n)), rounding_threads,
                 0, stream>>>(from, items, to);
    check(cudaGetLastError(), "rounding to bf16");
  }
}

}  // namespace espalier
