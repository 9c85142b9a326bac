// Which instruction sets our SIMD code is compiled for: a baseline that runs anywhere, AVX2 and AVX-512. Every file
// that uses Highway includes this first.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#define HWY_BROKEN_EMU128 1  // the baseline is one element at a time: the emulated vector reads beyond a masked rest
