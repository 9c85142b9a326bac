// The CPU backend, in float: products by oneDNN, fused kernels and gathers by Highway.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "exec/cpu/elementwise/elementwise.h"
#include "exec/cpu/functions.h"
#include "exec/cpu/lists.h"
#include "exec/cpu/product/product.h"
#include "exec/cpu/product/thin.h"
#include "exec/cpu/product/weight_copies.h"
#include "exec/launch.h"
#include "exec/segment_sum.h"
#include "op/kernel/product.h"
#include "param/gradient_state.h"

namespace espalier {

class CpuBackend {
 public:
  using Number = float;
  static constexpr size_t cache_bytes = size_t{1} << 20;  // the second-level cache of most machines

  explicit CpuBackend(std::shared_ptr<WeightCopies> copies) : copies_(std::move(copies)) {}

  void begin() { copies_.begin(); }
  void end() { copies_.end(); }
  const float* parameter(const detail::ParameterStorage& storage) const { return storage.data.host().data(); }
  void fused(const FusedLaunch<float>& launch) {
    if (const size_t need = cpu_fused_scratch(*launch.kernel); scratch_.size() < need) scratch_.resize(need);
    cpu_fused(launch, scratch_.data());
  }
  void op(const OpLaunch<float>& launch) {
    const OpInfo* const op = launch.kernel->op;
    const bool forward = op == &info<op::Linear>();
    if (!forward && op != &info<op::LinearTransposed>()) return cpu_function(op)(launch);
    const Shape& w = launch.kernel->in_shapes[1];
    const StoredWeight weight{launch.in[1].data, w[0], w[1]};
    const WeightLayout layout = is_thin(launch) ? WeightLayout::stored
                                                : layout_of({.stored_by_output = forward,
                                                             .rows_of_round = launch.rows_of_round,
                                                             .n = forward ? w[0] : w[1],
                                                             .train = launch.train});
    if (layout == WeightLayout::stored) return cpu_function(op)(launch);
    const WeightCopy& copy = copies_.of(weight, layout);
    cpu_linear(launch, copy.data.data(), copy.stride);
  }
  void gather(const SegmentSum<float>& s) { cpu_segment_sum(s); }
  void product_gradient(int64_t rows, int m, int n, Rows<const float> dy, Rows<const float> x, bool adds, float* dW) {
    cpu_product_gradient(rows, m, n, dy, x, adds, dW);
  }
  void add_rows(int64_t rows, int64_t size, Rows<const float> dy, bool first, float* sum) {
    if (first) std::fill_n(sum, size, 0.f);
    cpu_add_rows(rows, size, dy, sum);
  }
  float* sum_of(detail::GradientEntry& entry) { return entry.values.host_to_write().data(); }
  void finish_sums(detail::GradientState&) {}

 private:
  std::vector<float> scratch_;
  UsedWeightCopies copies_;
};

}  // namespace espalier
