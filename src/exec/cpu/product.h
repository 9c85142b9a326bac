// Products by oneDNN, row-major. How many threads a product uses is the caller's matter: SingleThread.
#pragma once
#include <cstdint>

#include "exec/launch.h"

namespace espalier {

// While it lives, products called by this thread run on this thread alone.
class SingleThread {
 public:
  SingleThread();
  ~SingleThread();
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  int before_;
};

// dw[m,n] = Σ_r dy_r x_rᵀ, dy rows of m and x rows of n; or that is added, else what dw held is not read.
void cpu_product_gradient(int64_t rows, int m, int n, Rows<const float> dy, Rows<const float> x, bool adds, float* dw);

void cpu_linear(const OpLaunch<float>& launch);
// With Wᵀ at hand, [n,m]: faster, most of all at 8 … 64 rows.
void cpu_linear(const OpLaunch<float>& launch, const float* transposed);
void cpu_linear_transposed(const OpLaunch<float>& launch);
void cpu_matmul(const OpLaunch<float>& launch);

}  // namespace espalier
