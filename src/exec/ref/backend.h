// The reference backend, in double, with one simple loop per op: it defines correct results. With tf32 or bf16 it
// rounds the factors of products, and nothing else.
#pragma once
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "exec/launch.h"
#include "exec/plain/plain.h"
#include "exec/ref/fused.h"
#include "exec/ref/product_gradient.h"
#include "exec/ref/rounded.h"
#include "exec/segment_sum.h"
#include "op/kernel/product.h"
#include "param/gradient_state.h"

namespace espalier {

class RefBackend {
 public:
  using Number = double;
  static constexpr size_t cache_bytes = 0;

  explicit RefBackend(Precision precision = Precision::f32) : precision_(precision) {}

  void begin() {
    parameters_.clear();  // they may have changed
    sums_.clear();        // of a plan that failed
  }
  void end() {}

  const double* parameter(const detail::ParameterStorage& storage) {
    std::vector<double>& copy = parameters_[&storage];
    if (copy.empty()) copy.assign(storage.data.host().begin(), storage.data.host().end());
    return copy.data();
  }
  void fused(const FusedLaunch<double>& launch) { ref_fused(launch); }
  void op(const OpLaunch<double>& launch) {
    const OpFunction<double> function = plain_function<double>(launch.kernel->op);
    if (precision_ == Precision::f32 || !multiplies_matrices(launch.kernel->op)) return function(launch);
    std::vector<RoundedRows> copies;
    std::vector<Rows<const double>> in;
    for (size_t i = 0; i < launch.in.size(); ++i)
      in.push_back(
          copies.emplace_back(precision_, launch.in[i], launch.rows, launch.kernel->in_shapes[i].size()).rows());
    OpLaunch<double> rounded = launch;
    rounded.in = in;
    function(rounded);
  }
  void gather(const SegmentSum<double>& s) { segment_sum(s); }
  void product_gradient(int64_t rows, int m, int n, Rows<const double> dy, Rows<const double> x, bool adds,
                        double* dW) {
    if (precision_ == Precision::f32) return ref_product_gradient(rows, m, n, dy, x, adds, dW);
    const RoundedRows rounded_dy(precision_, dy, rows, m), rounded_x(precision_, x, rows, n);
    ref_product_gradient(rows, m, n, rounded_dy.rows(), rounded_x.rows(), adds, dW);
  }

  void add_rows(int64_t rows, int64_t size, Rows<const double> dy, bool first, double* sum) {
    if (first) std::fill_n(sum, size, 0.0);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t e = 0; e < size; ++e) sum[e] += dy[r][e];
  }

  // Sums are in double and rounded once, at the end.
  double* sum_of(detail::GradientEntry& entry) {
    std::vector<double>& sum = sums_[entry.parameter.get()];
    if (sum.empty()) sum.assign(entry.values.host().begin(), entry.values.host().end());
    return sum.data();
  }
  void finish_sums(detail::GradientState& to) {
    for (auto& [parameter, sum] : sums_) to.find(parameter)->values.host_to_write().assign(sum.begin(), sum.end());
    sums_.clear();
  }

 private:
  Precision precision_;
  std::unordered_map<const detail::ParameterStorage*, std::vector<double>> parameters_, sums_;
};

}  // namespace espalier
