// Compiles the embedded device source with nvcc, so that a build checks the text that NVRTC compiles at run time. Not
// linked.
#define ESPALIER_FAST_PRODUCTS 1
#define ESPALIER_PLAIN_PRODUCTS 1
#include "exec/gpu/device/gamma.cuh"
#include "exec/gpu/device/logistic.cuh"
#include "exec/gpu/device/persistent/kernel.cuh"
#include "exec/gpu/device/rounding.cuh"

namespace espalier::persistent {

// Stands for the generated functions: one operand of each Access, and one result with a bf16 copy.
__device__ void run(const Place& place) {
  const unsigned of_row = min(place.width, 32u);
  for (unsigned i = place.first; i < (place.end - place.row) * of_row; i += place.threads) {
    const unsigned row = place.row + i / of_row, e = place.e + i % of_row;
    const float a0 = operands[0].data[row * operands[0].stride + e];
    const float a1 = gathered(operands[1], row, e), a2 = near_of(place, operands[2], row, e);
    const float r = logistic(a0) + log_gamma(a1) * digamma(a2);
    float* const y = operands[3].data + row * operands[3].stride + e;
    *y = r;
    write_bf16<1>(y, &r, args.bf16_copy);
  }
}

}  // namespace espalier::persistent

// The widths of write_bf16 that fused kernels use.
template __device__ void espalier::write_bf16<1>(const float*, const float*, unsigned long long);
template __device__ void espalier::write_bf16<2>(const float*, const float*, unsigned long long);
template __device__ void espalier::write_bf16<4>(const float*, const float*, unsigned long long);
