// Row-major products by oneDNN. The caller chooses the number of threads (SingleThread).
#pragma once
#include <cstdint>

#include "exec/launch.h"

namespace espalier {

// RAII: products called by this thread run on this thread only.
class SingleThread {
 public:
  SingleThread();
  ~SingleThread();
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  int before_;
};

// dw[m,n] = Σ_r dy_r x_rᵀ for rows dy[m] and x[n]; with `adds` it is added to dw, otherwise dw is not read.
void cpu_product_gradient(int64_t rows, int m, int n, Rows<const float> dy, Rows<const float> x, bool adds, float* dw);

void cpu_linear(const OpLaunch<float>& launch);
void cpu_linear_transposed(const OpLaunch<float>& launch);
// Either of the two, with a copy of the weight: its rows have the elements of one result, and are `stride` apart.
void cpu_linear(const OpLaunch<float>& launch, const float* copy, int64_t stride);
// Whether the launch has kernels of its own, which read the weight as it is stored (thin.h).
bool is_thin(const OpLaunch<float>& launch);
void cpu_matmul(const OpLaunch<float>& launch);

}  // namespace espalier
