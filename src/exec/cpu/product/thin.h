// Products with a thin matrix (a few classes, tags or scores), for which oneDNN is slow.
#pragma once
#include <cstdint>

#include "exec/launch.h"

namespace espalier {

constexpr int64_t max_thin = 16;  // maximum rows of W

// W is [m,n] with m ≤ max_thin. adds: the result is added to y or dW, instead of overwriting it.
// y_r = W x_r
void thin_linear(int64_t rows, int64_t m, int64_t n, Rows<const float> x, const float* W, bool adds, Rows<float> y);
// y_r = Wᵀ x_r
void thin_linear_transposed(int64_t rows, int64_t m, int64_t n, Rows<const float> x, const float* W, bool adds,
                            Rows<float> y);
// dW = Σ_r dy_r x_rᵀ
void thin_product_gradient(int64_t rows, int64_t m, int64_t n, Rows<const float> dy, Rows<const float> x, bool adds,
                           float* dW);

}  // namespace espalier
