// The gradient of a shared matrix, in double: the sum over all rows of their outer products.
#pragma once
#include "exec/launch.h"

namespace espalier {

// dw[m,n] = Σ_r dy_r x_rᵀ; with `adds` it is added to dw, otherwise dw is not read.
inline void ref_product_gradient(int64_t rows, int m, int n, Rows<const double> dy, Rows<const double> x, bool adds,
                                 double* dw) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t r = 0; r < rows; ++r) sum += dy[r][i] * x[r][j];
      double& d = dw[static_cast<int64_t>(i) * n + j];
      d = adds ? d + sum : sum;
    }
}

}  // namespace espalier
