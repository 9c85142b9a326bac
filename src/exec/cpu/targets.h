// The instruction sets that SIMD code is compiled for: a baseline for every CPU, AVX2 and AVX-512; on arm64 NEON,
// because SVE vectors cannot be members of a struct. Every file that uses Highway includes this first.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#define HWY_BROKEN_EMU128 1  // without SIMD, use single elements: emulated vectors read past a masked end
