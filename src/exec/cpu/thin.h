// Products with a thin matrix: a handful of classes, tags or scores, where oneDNN is far from its best.
#pragma once
#include <cstdint>

#include "exec/launch.h"

namespace espalier {

constexpr int64_t most_thin = 16;  // rows of W, at most

// All with W [m,n], m thin. Where `adds`, to what is in the result already.
// y_r = W x_r
void thin_linear(int64_t rows, int64_t m, int64_t n, Rows<const float> x, const float* W, bool adds, Rows<float> y);
// y_r = Wᵀ x_r
void thin_linear_transposed(int64_t rows, int64_t m, int64_t n, Rows<const float> x, const float* W, bool adds,
                            Rows<float> y);
// dW = Σ_r dy_r x_rᵀ
void thin_product_gradient(int64_t rows, int64_t m, int64_t n, Rows<const float> dy, Rows<const float> x, bool adds,
                           float* dW);

}  // namespace espalier
