#include "exec/segment_sum.h"

#include "exec/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/cpu/segment_sum.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace espalier {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
constexpr Floats d;

HWY_INLINE const float* source(const SegmentSum<float>& s, int64_t k) {
  return s.base + static_cast<int64_t>(s.source[k]) * unit;
}

// Four vectors of one row from element e on. The four sums stay in registers during the loop over sources, then they
// are added to `out` or written.
HWY_INLINE void block(const SegmentSum<float>& s, int64_t begin, int64_t end, size_t e, bool adds, float* out) {
  const size_t N = hn::Lanes(d);
  const float* from = source(s, begin) + e;
  auto a0 = hn::LoadU(d, from), a1 = hn::LoadU(d, from + N);
  auto a2 = hn::LoadU(d, from + 2 * N), a3 = hn::LoadU(d, from + 3 * N);
  for (int64_t k = begin + 1; k < end; ++k) {
    from = source(s, k) + e;
    a0 = hn::Add(a0, hn::LoadU(d, from));
    a1 = hn::Add(a1, hn::LoadU(d, from + N));
    a2 = hn::Add(a2, hn::LoadU(d, from + 2 * N));
    a3 = hn::Add(a3, hn::LoadU(d, from + 3 * N));
  }
  if (adds) {
    a0 = hn::Add(hn::LoadU(d, out + e), a0);
    a1 = hn::Add(hn::LoadU(d, out + e + N), a1);
    a2 = hn::Add(hn::LoadU(d, out + e + 2 * N), a2);
    a3 = hn::Add(hn::LoadU(d, out + e + 3 * N), a3);
  }
  hn::StoreU(a0, d, out + e);
  hn::StoreU(a1, d, out + e + N);
  hn::StoreU(a2, d, out + e + 2 * N);
  hn::StoreU(a3, d, out + e + 3 * N);
}

// At most one vector: n elements from e on.
HWY_INLINE void part(const SegmentSum<float>& s, int64_t begin, int64_t end, size_t e, size_t n, bool adds,
                     float* out) {
  const auto mask = hn::FirstN(d, n);
  auto a = hn::MaskedLoad(mask, d, source(s, begin) + e);
  for (int64_t k = begin + 1; k < end; ++k) a = hn::Add(a, hn::MaskedLoad(mask, d, source(s, k) + e));
  if (adds) a = hn::Add(hn::MaskedLoad(mask, d, out + e), a);
  hn::BlendedStore(a, mask, d, out + e);
}

void sum(const SegmentSum<float>& s) {
  const size_t N = hn::Lanes(d), size = static_cast<size_t>(s.size);
  for (int64_t row = 0; row < s.rows; ++row) {
    float* out = s.out + row * s.out_stride;
    const int64_t begin = s.offsets != nullptr ? s.offsets[row] : row;
    const int64_t end = s.offsets != nullptr ? s.offsets[row + 1] : row + 1;
    if (begin == end) {
      std::fill_n(out, size, 0.0f);
      continue;
    }
    for (int64_t first = begin; first < end; first += sum_block) {
      const int64_t last = std::min(end, first + sum_block);
      size_t e = 0;
      for (; e + 4 * N <= size; e += 4 * N) block(s, first, last, e, first > begin, out);
      for (; e < size; e += N) part(s, first, last, e, std::min(N, size - e), first > begin, out);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace espalier
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace {
HWY_EXPORT(sum);
}

void cpu_segment_sum(const SegmentSum<float>& s) { HWY_DYNAMIC_DISPATCH(sum)(s); }

}  // namespace espalier
#endif
