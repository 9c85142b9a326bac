// Kernels from source, as far as no GPU is needed: what is printed compiles, and what is kept on disk is whole or not
// used. What they compute is told by the laws, on a GPU.
#include "exec/cuda/compile/kernels.h"

#include <thread>

#include <gtest/gtest.h>

#include "exec/cuda/compile/source.h"
#include "exec/cuda/walk/source.h"
#include "io/folder.h"

namespace espalier {
namespace ESPALIER_FILE {

// All primitives in one run, over rows that lie in every way.
Run every_primitive(uint32_t size) {
  Run run;
  run.size = size;
  run.in.resize(3);
  run.in[2].scalar = size > 1;
  run.registers = 4;
  run.code.push_back({Primitive::constant, 3, 0, 0, 0, -1.5f});
  for (int p = 1; p <= static_cast<int>(Primitive::choose); ++p) {
    const auto last = static_cast<uint16_t>(run.registers - 1);
    run.code.push_back({static_cast<Primitive>(p), run.registers++, last, 0, 2, 0});
  }
  run.out.push_back({{}, static_cast<uint16_t>(run.registers - 1)});
  run.out.push_back({{}, 0});
  return run;
}

TEST(CudaSource, EveryPrimitiveCompiles) {
  try {
    nvrtc();
  } catch (const DeviceError& e) {
    GTEST_SKIP() << e.what();
  }
  for (const auto& [lanes, shadowed] : {std::pair<unsigned, uint64_t>(1, 3), {2, 2}, {4, 3}, {4, 0}}) {
    const std::string source = cuda_source(every_primitive(12), lanes, {shadowed});
    const std::vector<char> code = compile_kernel(source, lanes == 2 ? "sm_80" : "sm_90");
    ASSERT_GT(code.size(), 4u);
    EXPECT_EQ(std::string(code.data(), 4),
              "\x7f"
              "ELF");
  }
}

TEST(CudaSource, EveryKindOfWalkCompiles) {
  try {
    nvrtc();
  } catch (const DeviceError& e) {
    GTEST_SKIP() << e.what();
  }
  const espalier::Run run = every_primitive(16);
  using walk::Access;
  const std::vector<walk::Function> functions{{&run, {Access::strided, Access::gathered, Access::strided}, 1},
                                              {&run, {Access::near, Access::strided, Access::gathered}}};
  for (const walk::Products products :
       {walk::Products{}, {.fast = true}, {.plain = true}, {.fast = true, .plain = true}})
    EXPECT_GT(compile_kernel(walk::source(functions, products), "sm_90").size(), 4u);
  EXPECT_GT(compile_kernel(walk::source({}, {.plain = true}), "sm_80").size(), 4u);
}

TEST(CudaSource, SaysWhatItComputes) {
  espalier::Run run;
  run.size = 8;
  run.in.resize(2);
  run.in[1].scalar = true;
  run.registers = 3;
  run.code = {{Primitive::multiply, 2, 0, 1, 1, 0}, {Primitive::maximum, 2, 2, 0, 0, 0}};
  run.out.push_back({{}, 2});
  EXPECT_EQ(cuda_source(run, 4),
            R"(extern "C" __global__ void __launch_bounds__(256) espalier_run(unsigned rows, )"
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
TEST(CudaSource, WritesAShadowBesideWhatItWrites) {
  espalier::Run run;
  run.size = 2;
  run.in.resize(1);
  run.registers = 2;
  run.code = {{Primitive::negate, 1, 0, 0, 0, 0}};
  run.out = {{{}, 0}, {{}, 1}};
  const std::string plain = cuda_source(run, 2), shadowed = cuda_source(run, 2, {2});
  const std::string end =
      "  *(float2*)(y0 + row * sy0 + e) = *(float2*)b0;\n"
      "  *(float2*)(y1 + row * sy1 + e) = *(float2*)b1;\n";
  EXPECT_TRUE(plain.ends_with(end + "}\n")) << plain;
  EXPECT_TRUE(shadowed.ends_with(end + "  write_shadow<2>(y1 + row * sy1 + e, b1, shadow);\n}\n")) << shadowed;
  EXPECT_NE(shadowed.find("float* y1, long long sy1, unsigned long long shadow) {"), std::string::npos) << shadowed;
}

// Where nothing comes behind, what is kept for a backward pass need not be written; what the forward pass reads must.
TEST(CudaSource, LeavesOutWhatNobodyReads) {
  Code code;
  code.buffers.resize(4);
  for (size_t b = 0; b < 3; ++b) code.buffers[b].kind = Buffer::Kind::kept;
  code.buffers[3].kind = Buffer::Kind::output;
  const auto rows = [](int buffer) { return RowsOf{RowsOf::Kind::buffer, buffer, 0, 4}; };
  code.forward.resize(3);
  espalier::Run& run = code.forward[0].run;
  code.forward[0].kind = Kernel::Kind::run;
  run.size = 4;
  run.in.resize(1);
  run.registers = 1;
  for (int b = 0; b < 4; ++b) run.out.push_back({rows(b), 0});
  code.forward[1].kind = Kernel::Kind::run;
  code.forward[1].run.in.push_back({rows(1), false});
  code.forward[2].in.push_back(rows(2));
  EXPECT_EQ(unread_forward(code, run), 1u);
  const std::string source = cuda_source(run, 4, {1, 1});
  EXPECT_EQ(source.find("(y0 + "), std::string::npos) << source;
  EXPECT_NE(source.find("*(float4*)(y1 + "), std::string::npos) << source;
}

TEST(CudaSource, AGpuNewerThanTheCompilerGetsPtx) {
  const std::vector<int> known{75, 80, 86, 90, 100};
  EXPECT_EQ(compiled_for(90, known), "sm_90");
  EXPECT_EQ(compiled_for(89, known), "compute_86");
  EXPECT_EQ(compiled_for(103, known), "compute_100");
  EXPECT_EQ(compiled_for(200, known), "compute_100");
  try {
    nvrtc();
  } catch (const DeviceError& e) {
    GTEST_SKIP() << e.what();
  }
  const std::string source = "extern \"C\" __global__ void f(float* x) { *x += 1; }";
  const std::vector<char> ptx = compile_kernel(source, "compute_90"), binary = compile_kernel(source, "sm_90");
  EXPECT_NE(std::string_view(ptx.data()).find(".target sm_90"), std::string_view::npos);
  EXPECT_EQ(ptx.back(), '\0');  // the driver reads it as a text
  EXPECT_EQ(std::string_view(binary.data(), 4),
            "\x7f"
            "ELF");
}

TEST(CudaSource, WhatDoesNotCompileIsShown) {
  try {
    nvrtc();
  } catch (const DeviceError& e) {
    GTEST_SKIP() << e.what();
  }
  try {
    compile_kernel("__global__ void f() { undeclared(); }", "sm_90");
    ADD_FAILURE() << "it compiled";
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("undeclared"), std::string::npos) << e.what();
  }
}

const std::vector<char> some_code{'c', 'o', 'd', 'e', '\0', '\x7f'};

TEST(CudaCache, NamesFollowFromAllThatCounts) {
  const std::string name = cached_kernel_name("source", "sm_90", "13.0");
  EXPECT_EQ(name, cached_kernel_name("source", "sm_90", "13.0"));
  EXPECT_NE(name, cached_kernel_name("sourcf", "sm_90", "13.0"));
  EXPECT_NE(name, cached_kernel_name("source", "sm_80", "13.0"));
  EXPECT_NE(name, cached_kernel_name("source", "sm_90", "13.1"));
}

TEST(CudaCache, WhatIsNotWholeIsNotRead) {
  const io::Folder folder;
  const std::string path = folder / "deep/in/kernel.cubin";
  EXPECT_TRUE(read_cached_kernel(path).empty());
  write_cached_kernel(path, some_code);
  ASSERT_EQ(read_cached_kernel(path), some_code);
  const std::string whole = io::bytes_of(path);
  for (size_t n = 0; n < whole.size(); ++n) {
    io::put_bytes(path, whole.substr(0, n));
    EXPECT_TRUE(read_cached_kernel(path).empty()) << n << " bytes";
    std::string changed = whole;
    changed[n] = static_cast<char>(changed[n] + 1);
    io::put_bytes(path, changed);
    EXPECT_TRUE(read_cached_kernel(path).empty()) << "byte " << n;
  }
  io::put_bytes(path, whole + "x");
  EXPECT_TRUE(read_cached_kernel(path).empty());
}

TEST(CudaCache, WhereNothingCanBeWrittenNothingIs) {
  const io::Folder folder;
  io::put_bytes(folder / "file", "in the way");
  write_cached_kernel(folder / "file/kernel.cubin", some_code);
  EXPECT_TRUE(read_cached_kernel(folder / "file/kernel.cubin").empty());
  EXPECT_EQ(folder.files(), 1u);
}

TEST(CudaCache, ManyMayWriteAtOnce) {
  const io::Folder folder;
  const std::string path = folder / "kernel.cubin";
  const std::vector<char> large(1 << 16, 'k');
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        write_cached_kernel(path, large);
        const std::vector<char> read = read_cached_kernel(path);
        EXPECT_EQ(read, large);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(folder.files(), 1u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
