#include "exec/cpu/lists.h"

#include <algorithm>

#include "exec/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/cpu/lists.cc"
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
using M = hn::Mask<Floats>;
constexpr Floats d;

struct Sum {
  static HWY_INLINE V of(V a, V x) { return hn::Add(a, x); }
};
struct Largest {  // keeps the first of equal elements, like the plain version
  static HWY_INLINE V of(V a, V x) { return hn::IfThenElse(hn::Lt(a, x), x, a); }
};

// The sum of term(row) over rows begin to end - 1, in blocks.
template <class F>
HWY_INLINE V sum_in_blocks(int64_t begin, int64_t end, const F& term) {
  V sum = hn::Zero(d);
  for (int64_t first = begin; first < end; first += sum_block) {
    V part = hn::Zero(d);
    for (int64_t row = first; row < std::min(end, first + sum_block); ++row) part = hn::Add(part, term(row));
    sum = hn::Add(sum, part);
  }
  return sum;
}

// Folds rows begin to end - 1, at least one, in blocks into the vector of elements from e on.
template <class F>
HWY_INLINE V fold(const OpLaunch<float>& l, int64_t begin, int64_t end, size_t e, M mask) {
  V all = hn::Zero(d);
  for (int64_t first = begin; first < end; first += sum_block) {
    V a = hn::MaskedLoad(mask, d, l.in[0][first] + e);
    for (int64_t row = first + 1; row < std::min(end, first + sum_block); ++row)
      a = F::of(a, hn::MaskedLoad(mask, d, l.in[0][row] + e));
    all = first == begin ? a : F::of(all, a);
  }
  return all;
}

// One row of the result per call: vector(begin, end, e, mask) over its rows; zeros without rows.
template <class F>
HWY_INLINE void reduce_rows(const OpLaunch<float>& l, size_t size, const F& vector) {
  for (int64_t call = 0; call < l.segments.calls; ++call) {
    const int64_t begin = l.segments.begin(call), end = l.segments.end(call);
    if (begin == end) {
      std::fill_n(l.out[call], size, 0.0f);
      continue;
    }
    for (size_t e = 0; e < size; e += hn::Lanes(d)) {
      const M mask = hn::FirstN(d, size - e);
      hn::BlendedStore(vector(begin, end, e, mask), mask, d, l.out[call] + e);
    }
  }
}

template <class F>
HWY_INLINE void fold_rows(const OpLaunch<float>& l, size_t size) {
  reduce_rows(l, size,
              [&](int64_t begin, int64_t end, size_t e, M mask) HWY_ATTR { return fold<F>(l, begin, end, e, mask); });
}
void sum_rows(const OpLaunch<float>& l, size_t size) { fold_rows<Sum>(l, size); }
void max_rows(const OpLaunch<float>& l, size_t size) { fold_rows<Largest>(l, size); }

void softmax_rows(const OpLaunch<float>& l, size_t size) {
  for (int64_t call = 0; call < l.segments.calls; ++call) {
    const int64_t begin = l.segments.begin(call), end = l.segments.end(call);
    if (begin == end) continue;
    for (size_t e = 0; e < size; e += hn::Lanes(d)) {
      const M mask = hn::FirstN(d, size - e);
      const V largest = fold<Largest>(l, begin, end, e, mask);
      const V m = hn::IfThenZeroElse(hn::IsInf(largest), largest);  // if all are -inf, exp(-inf) is 0 for each
      const V sum = sum_in_blocks(begin, end, [&](int64_t row) HWY_ATTR {
        const V y = vector_exp(d, hn::Sub(hn::MaskedLoad(mask, d, l.in[0][row] + e), m));
        hn::BlendedStore(y, mask, d, l.out[row] + e);
        return y;
      });
      const V inverse = hn::IfThenElseZero(hn::Gt(sum, hn::Zero(d)), hn::Div(hn::Set(d, 1.0f), sum));
      for (int64_t row = begin; row < end; ++row) {
        float* y = l.out[row] + e;
        hn::BlendedStore(hn::Mul(hn::MaskedLoad(mask, d, y), inverse), mask, d, y);
      }
    }
  }
}

void logsumexp_rows(const OpLaunch<float>& l, size_t size) {
  reduce_rows(l, size, [&](int64_t begin, int64_t end, size_t e, M mask) HWY_ATTR {
    const V m = fold<Largest>(l, begin, end, e, mask);
    const V sum = sum_in_blocks(begin, end, [&](int64_t row) HWY_ATTR {
      return vector_exp(d, hn::Sub(hn::MaskedLoad(mask, d, l.in[0][row] + e), m));
    });
    return hn::IfThenElse(hn::IsInf(m), m, hn::Add(m, vector_log(d, sum)));
  });
}

// Adds rows begin to end - 1 to `sum`. Eight vectors of the sum stay in registers during the loop over rows, so that
// eight additions are in flight.
HWY_INLINE void add_block(int64_t begin, int64_t end, size_t size, Rows<const float> x, float* sum) {
  const size_t N = hn::Lanes(d);
  size_t e = 0;
  for (; e + 8 * N <= size; e += 8 * N) {
    V s[8];
    for (size_t k = 0; k < 8; ++k) s[k] = hn::Zero(d);
    for (int64_t r = begin; r < end; ++r)
      for (size_t k = 0; k < 8; ++k) s[k] = hn::Add(s[k], hn::LoadU(d, x[r] + e + k * N));
    for (size_t k = 0; k < 8; ++k) hn::StoreU(hn::Add(hn::LoadU(d, sum + e + k * N), s[k]), d, sum + e + k * N);
  }
  for (; e < size; e += N) {
    const M mask = hn::FirstN(d, size - e);
    V s = hn::Zero(d);
    for (int64_t r = begin; r < end; ++r) s = hn::Add(s, hn::MaskedLoad(mask, d, x[r] + e));
    hn::BlendedStore(hn::Add(hn::MaskedLoad(mask, d, sum + e), s), mask, d, sum + e);
  }
}
void add_rows(int64_t rows, size_t size, Rows<const float> x, float* sum) {
  for (int64_t r = 0; r < rows; r += sum_block) add_block(r, std::min(rows, r + sum_block), size, x, sum);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace espalier
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace {
HWY_EXPORT(sum_rows);
HWY_EXPORT(max_rows);
HWY_EXPORT(softmax_rows);
HWY_EXPORT(logsumexp_rows);
HWY_EXPORT(add_rows);

size_t size_of(const OpLaunch<float>& l) { return static_cast<size_t>(l.kernel->out_shape.size()); }
}  // namespace

void cpu_sum_rows(const OpLaunch<float>& l) { HWY_DYNAMIC_DISPATCH(sum_rows)(l, size_of(l)); }
void cpu_max_rows(const OpLaunch<float>& l) { HWY_DYNAMIC_DISPATCH(max_rows)(l, size_of(l)); }
void cpu_add_rows(int64_t rows, int64_t size, Rows<const float> x, float* sum) {
  HWY_DYNAMIC_DISPATCH(add_rows)(rows, static_cast<size_t>(size), x, sum);
}
void cpu_softmax_rows(const OpLaunch<float>& l) { HWY_DYNAMIC_DISPATCH(softmax_rows)(l, size_of(l)); }
void cpu_logsumexp_rows(const OpLaunch<float>& l) { HWY_DYNAMIC_DISPATCH(logsumexp_rows)(l, size_of(l)); }

}  // namespace espalier
#endif
