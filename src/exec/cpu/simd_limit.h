// Limits the instruction sets of our SIMD code, for tests and to find the cause of differing bits.
#pragma once

namespace espalier {

// Reads ESPALIER_MAX_CPU_ISA once per process: BASELINE, AVX2 or AVX512; unset or empty: no limit. Call it
// before the first SIMD function runs. oneDNN has its own variable, DNNL_MAX_CPU_ISA. DeviceError for any other
// value.
void limit_simd();

// The best instruction set within the limit, as Highway names it: "AVX3", "AVX2", "NEON", "Scalar".
const char* simd_name();

}  // namespace espalier
