// The kernels of DeviceMemory. Pointers and inner spans refer to device memory; outer spans are on the host.
#pragma once
#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

#include "tensor/device_memory.h"

namespace espalier {

void cuda_fill(float* to, size_t n, float value, cudaStream_t stream);
void cuda_add(std::span<const DeviceMemory::Sum> sums, cudaStream_t stream);
void cuda_scale(std::span<const std::span<float>> all, float factor, cudaStream_t stream);
void cuda_clip(std::span<const std::span<float>> all, const double* sum_of_squares, float limit, cudaStream_t stream);

// Sums in an order that depends only on the sizes. `scratch` holds sum_of_squares_scratch(...) doubles.
size_t sum_of_squares_scratch(std::span<const std::span<const float>> all);
void cuda_sum_of_squares(std::span<const std::span<const float>> all, double* scratch, double* sum,
                         cudaStream_t stream);

void cuda_add_rows(const float* from, const int32_t* rows, size_t n, size_t width, float* to, cudaStream_t stream);
void cuda_merge_rows(const float* a, const float* b, const DeviceMemory::RowPair* pairs, size_t n, size_t width,
                     float* to, cudaStream_t stream);

}  // namespace espalier
