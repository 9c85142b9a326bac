// Which instruction sets our SIMD code is compiled for: a baseline that runs anywhere, AVX2 and AVX-512; on arm64 NEON,
// because vectors of SVE cannot be members of a struct. Every file that uses Highway includes this first.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#define HWY_BROKEN_EMU128 1  // the baseline is one element at a time: the emulated vector reads beyond a masked rest
