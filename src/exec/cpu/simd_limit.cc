#include "exec/cpu/simd_limit.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include <espalier/base/error.h>

#include "exec/cpu/targets.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace espalier {
namespace {

// Highway's mask of the instruction sets above a limit.
int64_t above(std::string_view limit) {
  constexpr int64_t avx512 = HWY_AVX3 | HWY_AVX3_DL, avx2 = HWY_AVX2 | HWY_SSE4 | HWY_SSSE3;
  if (limit.empty() || limit == "AVX512") return 0;
  if (limit == "AVX2") return avx512;
  if (limit == "BASELINE") return avx512 | avx2;
  throw DeviceError("engine: ESPALIER_MAX_CPU_ISA is '" + std::string(limit) +
                    "'; it must be BASELINE, AVX2, AVX512, or unset");
}

}  // namespace

void limit_simd() {
  static const bool once = [] {
    const char* limit = std::getenv("ESPALIER_MAX_CPU_ISA");
    if (const int64_t disabled = above(limit == nullptr ? "" : limit); disabled != 0) hwy::DisableTargets(disabled);
    return true;
  }();
  static_cast<void>(once);
}

const char* simd_name() {
  limit_simd();
  const int64_t left = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(left & -left);  // the lowest bit is the best
}

}  // namespace espalier
