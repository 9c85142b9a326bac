// Fused kernels as CUDA source text. tests/exec/cuda/kernels_test.cc compiles such sources.
#include "exec/gpu/fused_source.h"

#include <gtest/gtest.h>

namespace espalier {
namespace ESPALIER_FILE {

TEST(GpuSource, SaysWhatItComputes) {
  FusedKernel fused;
  fused.size = 8;
  fused.in.resize(2);
  fused.in[1].scalar = true;
  fused.registers = 3;
  fused.code = {{Primitive::multiply, 2, 0, 1, 1, 0}, {Primitive::maximum, 2, 2, 0, 0, 0}};
  fused.out.push_back({{}, 2});
  EXPECT_EQ(cuda_source(fused, 4),
            R"(extern "C" __global__ void __launch_bounds__(256) espalier_fused(unsigned rows, )"
            R"(const float* x0, long long sx0, const float* x1, long long sx1, float* y0, long long sy0) {
  const unsigned i = blockIdx.x * 256u + threadIdx.x, row = i / 2u, e = i % 2u * 4u;
  if (row >= rows) return;
  __align__(16) float a0[4];
  *(float4*)a0 = *(const float4*)(x0 + row * sx0 + e);
  const float a1 = x1[row * sx1];
  __align__(16) float b0[4];
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    float r0 = a0[v], r1 = a1, r2;
    r2 = r0 * r1;
    r2 = r2 < r0 ? r0 : r2;
    b0[v] = r2;
  }
  *(float4*)(y0 + row * sy0 + e) = *(float4*)b0;
}
)");
}

// Its second result is a factor of a bf16 product.
TEST(GpuSource, WritesAShadowBesideWhatItWrites) {
  FusedKernel fused;
  fused.size = 2;
  fused.in.resize(1);
  fused.registers = 2;
  fused.code = {{Primitive::negate, 1, 0, 0, 0, 0}};
  fused.out = {{{}, 0}, {{}, 1}};
  const std::string plain = cuda_source(fused, 2), shadowed = cuda_source(fused, 2, {SaturatingMask::of(1)});
  const std::string end =
      "  *(float2*)(y0 + row * sy0 + e) = *(float2*)b0;\n"
      "  *(float2*)(y1 + row * sy1 + e) = *(float2*)b1;\n";
  EXPECT_TRUE(plain.ends_with(end + "}\n")) << plain;
  EXPECT_TRUE(shadowed.ends_with(end + "  write_shadow<2>(y1 + row * sy1 + e, b1, shadow);\n}\n")) << shadowed;
  EXPECT_NE(shadowed.find("float* y1, long long sy1, unsigned long long shadow) {"), std::string::npos) << shadowed;
}

// In inference, results that only a backward pass reads need not be written; results that the forward pass reads must.
TEST(GpuSource, LeavesOutWhatNobodyReads) {
  Code code;
  code.buffers.resize(4);
  for (size_t b = 0; b < 3; ++b) code.buffers[b].kind = Buffer::Kind::kept;
  code.buffers[3].kind = Buffer::Kind::output;
  const auto rows = [](int buffer) { return RowsOf{RowsOf::Kind::buffer, buffer, 0, 4}; };
  code.forward.resize(3);
  FusedKernel& fused = code.forward[0].fused;
  code.forward[0].kind = Kernel::Kind::fused;
  fused.size = 4;
  fused.in.resize(1);
  fused.registers = 1;
  for (int b = 0; b < 4; ++b) fused.out.push_back({rows(b), 0});
  code.forward[1].kind = Kernel::Kind::fused;
  code.forward[1].fused.in.push_back({rows(1), false});
  code.forward[2].in.push_back(rows(2));
  const SaturatingMask first = SaturatingMask::of(0);
  EXPECT_EQ(unread_forward(code, fused), first);
  const std::string source = cuda_source(fused, 4, {first, first});
  EXPECT_EQ(source.find("(y0 + "), std::string::npos) << source;
  EXPECT_NE(source.find("*(float4*)(y1 + "), std::string::npos) << source;
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
