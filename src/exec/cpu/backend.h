// Float: products by oneDNN, element-wise runs and gathers by Highway.
#pragma once
#include <vector>

#include "exec/cpu/elementwise.h"
#include "exec/cpu/functions.h"
#include "exec/cpu/product.h"
#include "exec/launch.h"
#include "exec/segment_sum.h"
#include "param/gradient_state.h"

namespace espalier {

class CpuBackend {
 public:
  using Number = float;

  void begin() {}
  const float* parameter(const detail::Slot& slot) const { return slot.data.data(); }
  void run(const RunLaunch<float>& launch) {
    if (const size_t need = cpu_run_scratch(*launch.run); scratch_.size() < need) scratch_.resize(need);
    cpu_run(launch, scratch_.data());
  }
  void op(const OpLaunch<float>& launch) { cpu_function(launch.kernel->op)(launch); }
  void gather(const SegmentSum<float>& s) { cpu_segment_sum(s); }
  void product_gradient(int64_t rows, int m, int n, Rows<const float> dy, Rows<const float> x, float* dW) {
    cpu_product_gradient(rows, m, n, dy, x, 1, dW);
  }
  float* sum_of(detail::GradientEntry& entry) { return entry.values.data(); }
  void finish_sums(detail::GradientState&) {}

 private:
  std::vector<float> scratch_;
};

}  // namespace espalier
