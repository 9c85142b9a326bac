#include "exec/cpu/softmax.h"

#include <algorithm>
#include <cmath>

#include "exec/cpu/targets.h"
#include "exec/plain/reductions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/cpu/softmax.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exec/cpu/elementwise/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace espalier {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace espalier::simd::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using V = hn::Vec<Floats>;
constexpr Floats d;

HWY_INLINE float largest_of(const float* x, size_t n) {
  V m = hn::Set(d, -infinity);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) m = hn::Max(m, hn::LoadU(d, x + i));
  if (i < n) {
    const auto mask = hn::FirstN(d, n - i);
    m = hn::Max(m, hn::IfThenElse(mask, hn::MaskedLoad(mask, d, x + i), m));
  }
  return hn::GetLane(hn::MaxOfLanes(d, m));
}

// The end of the block that begins at i: a multiple of two vectors later, or n.
HWY_INLINE size_t end_of_block(size_t i, size_t n) { return std::min(n, i + static_cast<size_t>(sum_block)); }

// Σ exp(x - m); the terms go to y unless it is null.
HWY_INLINE float sum_of_exp(const float* x, size_t n, float m, float* y) {
  const V shift = hn::Set(d, m);
  V sum = hn::Zero(d);
  size_t i = 0;
  while (i + hn::Lanes(d) <= n) {
    V part = hn::Zero(d);
    for (const size_t end = end_of_block(i, n); i + hn::Lanes(d) <= end; i += hn::Lanes(d)) {
      const V e = vector_exp(d, hn::Sub(hn::LoadU(d, x + i), shift));
      if (y != nullptr) hn::StoreU(e, d, y + i);
      part = hn::Add(part, e);
    }
    sum = hn::Add(sum, part);
  }
  if (i < n) {
    const auto mask = hn::FirstN(d, n - i);
    const V e = vector_exp(d, hn::Sub(hn::MaskedLoad(mask, d, x + i), shift));
    if (y != nullptr) hn::BlendedStore(e, mask, d, y + i);
    sum = hn::Add(sum, hn::IfThenElseZero(mask, e));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

HWY_INLINE float log_of_sum(const float* x, size_t n) {
  const float m = largest_of(x, n);
  if (std::isinf(m)) return m;
  return m + std::log(sum_of_exp(x, n, m, nullptr));
}

HWY_INLINE void scale(float* y, size_t n, float factor) {
  const V f = hn::Set(d, factor);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) hn::StoreU(hn::Mul(hn::LoadU(d, y + i), f), d, y + i);
  if (i < n) {
    const auto mask = hn::FirstN(d, n - i);
    hn::BlendedStore(hn::Mul(hn::MaskedLoad(mask, d, y + i), f), mask, d, y + i);
  }
}

// Consecutive lines of n elements: the last axis of all rows.
void softmax(const OpLaunch<float>& l, size_t lines, size_t n) {
  for (int64_t row = 0; row < l.rows; ++row)
    for (size_t line = 0; line < lines; ++line) {
      const float* x = l.in[0][row] + line * n;
      float* y = l.out[row] + line * n;
      if (const float m = largest_of(x, n); m == -infinity)
        std::fill_n(y, n, 0.0f);  // all elements are -inf
      else
        scale(y, n, 1 / sum_of_exp(x, n, m, y));
    }
}

void log_softmax(const OpLaunch<float>& l, size_t lines, size_t n) {
  for (int64_t row = 0; row < l.rows; ++row)
    for (size_t line = 0; line < lines; ++line) {
      const float* x = l.in[0][row] + line * n;
      float* y = l.out[row] + line * n;
      const V shift = hn::Set(d, log_of_sum(x, n));
      size_t i = 0;
      for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) hn::StoreU(hn::Sub(hn::LoadU(d, x + i), shift), d, y + i);
      if (i < n) {
        const auto mask = hn::FirstN(d, n - i);
        hn::BlendedStore(hn::Sub(hn::MaskedLoad(mask, d, x + i), shift), mask, d, y + i);
      }
    }
}

void logsumexp(const OpLaunch<float>& l, size_t lines, size_t n) {
  for (int64_t row = 0; row < l.rows; ++row)
    for (size_t line = 0; line < lines; ++line) l.out[row][line] = log_of_sum(l.in[0][row] + line * n, n);
}

void max_axis(const OpLaunch<float>& l, size_t lines, size_t n) {
  for (int64_t row = 0; row < l.rows; ++row)
    for (size_t line = 0; line < lines; ++line) l.out[row][line] = largest_of(l.in[0][row] + line * n, n);
}

void cross_entropy(const OpLaunch<float>& l, size_t n) {
  for (int64_t row = 0; row < l.rows; ++row) {
    const float* x = l.in[0][row];
    *l.out[row] = log_of_sum(x, n) - x[l.index[row]];
  }
}

void cross_entropy_gradient(const OpLaunch<float>& l, size_t n) {
  for (int64_t row = 0; row < l.rows; ++row) {
    const float *x = l.in[0][row], dy = *l.in[1][row];
    float* y = l.out[row];
    scale(y, n, dy / sum_of_exp(x, n, largest_of(x, n), y));
    y[l.index[row]] -= dy;
  }
}

void sum_elements(const OpLaunch<float>& l, size_t n) {
  for (int64_t row = 0; row < l.rows; ++row) {
    const float* x = l.in[0][row];
    const size_t N = hn::Lanes(d);
    V sum = hn::Zero(d), a = hn::Zero(d), b = hn::Zero(d);
    size_t i = 0;
    while (i + 2 * N <= n) {
      a = b = hn::Zero(d);
      for (const size_t end = end_of_block(i, n); i + 2 * N <= end; i += 2 * N) {
        a = hn::Add(a, hn::LoadU(d, x + i));
        b = hn::Add(b, hn::LoadU(d, x + i + N));
      }
      if (i + 2 * N <= n) sum = hn::Add(sum, hn::Add(a, b));
    }
    for (; i < n; i += N) a = hn::Add(a, hn::MaskedLoad(hn::FirstN(d, n - i), d, x + i));
    *l.out[row] = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, hn::Add(a, b))));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace espalier
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace {
HWY_EXPORT(softmax);
HWY_EXPORT(log_softmax);
HWY_EXPORT(logsumexp);
HWY_EXPORT(max_axis);
HWY_EXPORT(cross_entropy);
HWY_EXPORT(cross_entropy_gradient);
HWY_EXPORT(sum_elements);

AxisOf axis_of(const OpLaunch<float>& l) {
  return {l.kernel->in_shapes[0], unerase<op::AxisAttrs>(l.kernel->attrs).axis};
}
}  // namespace

void cpu_softmax(const OpLaunch<float>& l) {
  const AxisOf a = axis_of(l);
  if (a.inner != 1) return Plain<op::Softmax>::run(l);
  if (a.n > 0) HWY_DYNAMIC_DISPATCH(softmax)(l, static_cast<size_t>(a.outer), static_cast<size_t>(a.n));
}

void cpu_log_softmax(const OpLaunch<float>& l) {
  const AxisOf a = axis_of(l);
  if (a.inner != 1) return Plain<op::LogSoftmax>::run(l);
  if (a.n > 0) HWY_DYNAMIC_DISPATCH(log_softmax)(l, static_cast<size_t>(a.outer), static_cast<size_t>(a.n));
}

void cpu_logsumexp(const OpLaunch<float>& l) {
  const AxisOf a = axis_of(l);
  if (a.inner != 1) return Plain<op::LogSumExp>::run(l);
  HWY_DYNAMIC_DISPATCH(logsumexp)(l, static_cast<size_t>(a.outer), static_cast<size_t>(a.n));
}

void cpu_max_axis(const OpLaunch<float>& l) {
  const AxisOf a = axis_of(l);
  if (a.inner != 1) return Plain<op::MaxAxis>::run(l);
  HWY_DYNAMIC_DISPATCH(max_axis)(l, static_cast<size_t>(a.outer), static_cast<size_t>(a.n));
}

void cpu_cross_entropy(const OpLaunch<float>& l) {
  HWY_DYNAMIC_DISPATCH(cross_entropy)(l, static_cast<size_t>(l.kernel->in_shapes[0].size()));
}

void cpu_cross_entropy_gradient(const OpLaunch<float>& l) {
  HWY_DYNAMIC_DISPATCH(cross_entropy_gradient)(l, static_cast<size_t>(l.kernel->in_shapes[0].size()));
}

void cpu_sum_elements(const OpLaunch<float>& l) {
  HWY_DYNAMIC_DISPATCH(sum_elements)(l, static_cast<size_t>(l.kernel->in_shapes[0].size()));
}

}  // namespace espalier
#endif
