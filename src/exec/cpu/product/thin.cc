#include "exec/cpu/product/thin.h"

#include <algorithm>

#include "exec/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/cpu/product/thin.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace espalier {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using V = hn::Vec<Floats>;
constexpr Floats d;

// The matrix is processed in groups of up to eight rows, whose sums stay in registers. Group is the number of rows, a
// template parameter so that loops unroll.
template <int Group, class F>
HWY_INLINE void group_at(int64_t i, int64_t left, F& f) {
  if constexpr (Group > 1)
    if (left < Group) return group_at<Group - 1>(i, left, f);
  f.template operator()<Group>(i);
}
template <class F>
HWY_INLINE void in_groups(int64_t m, F f) {
  for (int64_t i = 0; i < m; i += 8) group_at<8>(i, m - i, f);
}

// Dot products of n elements of one row with Group rows of W, `apart` elements apart.
template <int Group>
HWY_INLINE void dots(const float* x, const float* W, int64_t apart, int64_t n, bool adds, float* y) {
  const auto N = static_cast<int64_t>(hn::Lanes(d));
  V sum[Group];
  for (int g = 0; g < Group; ++g) sum[g] = hn::Zero(d);
  int64_t j = 0;
  for (; j + N <= n; j += N) {
    const V v = hn::LoadU(d, x + j);
    for (int g = 0; g < Group; ++g) sum[g] = hn::MulAdd(v, hn::LoadU(d, W + g * apart + j), sum[g]);
  }
  if (j < n) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(n - j));
    const V v = hn::MaskedLoad(mask, d, x + j);
    for (int g = 0; g < Group; ++g) sum[g] = hn::MulAdd(v, hn::MaskedLoad(mask, d, W + g * apart + j), sum[g]);
  }
  for (int g = 0; g < Group; ++g) {
    const float total = hn::GetLane(hn::SumOfLanes(d, sum[g]));
    y[g] = adds ? y[g] + total : total;
  }
}

constexpr int64_t longest = 16 * sum_block;  // elements; a lane of 16 then sums sum_block terms

void linear(int64_t rows, int64_t m, int64_t n, Rows<const float> x, const float* W, bool adds, Rows<float> y) {
  in_groups(m, [&]<int Group>(int64_t i) HWY_ATTR {
    for (int64_t r = 0; r < rows; ++r) {
      dots<Group>(x[r], W + i * n, n, std::min(n, longest), adds, y[r] + i);
      for (int64_t j = longest; j < n; j += longest)
        dots<Group>(x[r] + j, W + i * n + j, n, std::min(n - j, longest), true, y[r] + i);
    }
  });
}

// One vector of Σ_i x[i] W[i]; W and y point to its first element. The mask excludes elements past the end.
template <bool Whole, class M>
HWY_INLINE void combine(const float* x, int64_t m, const float* W, int64_t n, bool adds, M mask, float* y) {
  V sum = hn::Zero(d);
  for (int64_t i = 0; i < m; ++i) {
    const V w = Whole ? hn::LoadU(d, W + i * n) : hn::MaskedLoad(mask, d, W + i * n);
    sum = hn::MulAdd(hn::Set(d, x[i]), w, sum);
  }
  if (Whole)
    hn::StoreU(adds ? hn::Add(sum, hn::LoadU(d, y)) : sum, d, y);
  else
    hn::BlendedStore(adds ? hn::Add(sum, hn::MaskedLoad(mask, d, y)) : sum, mask, d, y);
}

void linear_transposed(int64_t rows, int64_t m, int64_t n, Rows<const float> x, const float* W, bool adds,
                       Rows<float> y) {
  const auto N = static_cast<int64_t>(hn::Lanes(d));
  const auto rest = hn::FirstN(d, static_cast<size_t>(n % N));
  for (int64_t r = 0; r < rows; ++r) {
    int64_t j = 0;
    for (; j + N <= n; j += N) combine<true>(x[r], m, W + j, n, adds, rest, y[r] + j);
    if (j < n) combine<false>(x[r], m, W + j, n, adds, rest, y[r] + j);
  }
}

// Two vectors of each of Group rows of dW stay in registers during the loop over rows.
template <int Group, bool Whole, class M>
HWY_INLINE void outer(int64_t rows, Rows<const float> dy, int64_t i, Rows<const float> x, int64_t j, int64_t n,
                      bool adds, M first, M second, float* dW) {
  const auto N = static_cast<int64_t>(hn::Lanes(d));
  V a[Group], b[Group];
  for (int g = 0; g < Group; ++g) a[g] = b[g] = hn::Zero(d);
  for (int64_t r = 0; r < rows; ++r) {
    const float* from = x[r] + j;
    const V u = Whole ? hn::LoadU(d, from) : hn::MaskedLoad(first, d, from);
    const V v = Whole ? hn::LoadU(d, from + N) : hn::MaskedLoad(second, d, from + N);
    for (int g = 0; g < Group; ++g) {
      const V f = hn::Set(d, dy[r][i + g]);
      a[g] = hn::MulAdd(f, u, a[g]);
      b[g] = hn::MulAdd(f, v, b[g]);
    }
  }
  for (int g = 0; g < Group; ++g) {
    float* to = dW + (i + g) * n + j;
    hn::BlendedStore(adds ? hn::Add(a[g], hn::MaskedLoad(first, d, to)) : a[g], first, d, to);
    hn::BlendedStore(adds ? hn::Add(b[g], hn::MaskedLoad(second, d, to + N)) : b[g], second, d, to + N);
  }
}

void product_gradient(int64_t rows, int64_t m, int64_t n, Rows<const float> dy, Rows<const float> x, bool adds,
                      float* dW) {
  const auto N = static_cast<int64_t>(hn::Lanes(d));
  if (rows > sum_block) {
    for (int64_t r = 0; r < rows; r += sum_block)
      product_gradient(std::min(sum_block, rows - r), m, n, {dy[r], dy.stride}, {x[r], x.stride}, adds || r > 0, dW);
    return;
  }
  in_groups(m, [&]<int Group>(int64_t i) HWY_ATTR {
    for (int64_t j = 0; j < n; j += 2 * N) {
      const auto left = static_cast<size_t>(n - j);
      const auto first = hn::FirstN(d, left);
      const auto second = hn::FirstN(d, left > hn::Lanes(d) ? left - hn::Lanes(d) : 0);
      if (j + 2 * N <= n)
        outer<Group, true>(rows, dy, i, x, j, n, adds, first, second, dW);
      else
        outer<Group, false>(rows, dy, i, x, j, n, adds, first, second, dW);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace espalier
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace {
HWY_EXPORT(linear);
HWY_EXPORT(linear_transposed);
HWY_EXPORT(product_gradient);
}  // namespace

void thin_linear(int64_t rows, int64_t m, int64_t n, Rows<const float> x, const float* W, bool adds, Rows<float> y) {
  HWY_DYNAMIC_DISPATCH(linear)(rows, m, n, x, W, adds, y);
}
void thin_linear_transposed(int64_t rows, int64_t m, int64_t n, Rows<const float> x, const float* W, bool adds,
                            Rows<float> y) {
  HWY_DYNAMIC_DISPATCH(linear_transposed)(rows, m, n, x, W, adds, y);
}
void thin_product_gradient(int64_t rows, int64_t m, int64_t n, Rows<const float> dy, Rows<const float> x, bool adds,
                           float* dW) {
  HWY_DYNAMIC_DISPATCH(product_gradient)(rows, m, n, dy, x, adds, dW);
}

}  // namespace espalier
#endif
