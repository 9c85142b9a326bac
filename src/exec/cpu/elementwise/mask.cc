#include "exec/cpu/elementwise/mask.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "exec/cpu/targets.h"
#include "exec/plain/noise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/cpu/elementwise/mask.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace espalier {
namespace {
namespace HWY_NAMESPACE {

// uniform(key, first + i) < p, in integers: the 24 bits of a uniform value are below `least` = ⌈p 2²⁴⌉. A plain
// loop, which the compiler vectorises for each target: Highway has no product of 64-bit lanes everywhere.
void mask_row(uint64_t key, uint64_t first, size_t n, uint64_t least, float kept, float* HWY_RESTRICT y) {
  const uint64_t start = mix(key);
  for (size_t i = 0; i < n; ++i) y[i] = mix(start ^ ((first + i) * counter_step)) >> 40 < least ? 0 : kept;
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace espalier
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace espalier {
namespace {
HWY_EXPORT(mask_row);
}  // namespace

void cpu_dropout_mask(const OpLaunch<float>& l) {
  const float p = unerase<op::MaskAttrs>(l.kernel->attrs).p, kept = 1 / (1 - p);
  const auto least = static_cast<uint64_t>(std::ceil(static_cast<double>(p) * 0x1p24));
  for_each_row(l, [&](uint64_t key, uint64_t first, float* y, int64_t n) {
    if (l.train)
      HWY_DYNAMIC_DISPATCH(mask_row)(key, first, static_cast<size_t>(n), least, kept, y);
    else
      std::fill_n(y, n, 1.0f);
  });
}

}  // namespace espalier
#endif
