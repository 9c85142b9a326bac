// The limit on the instruction sets of our own SIMD code, for tests and for finding out where bits come from.
#pragma once

namespace espalier {

// Reads ESPALIER_MAX_CPU_ISA once per process: BASELINE, AVX2 or AVX512; unset or empty: all that the CPU has. Call it
// before the first SIMD function runs. oneDNN has a variable of its own, DNNL_MAX_CPU_ISA. DeviceError: any other
// value.
void limit_simd();

// The best instruction set that is left, in Highway's words: "AVX3", "AVX2", "NEON", "Scalar".
const char* simd_name();

}  // namespace espalier
