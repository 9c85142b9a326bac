// Kernels from source, without a GPU: generated sources compile, and incomplete cache files are ignored. The laws test
// what kernels compute, on a GPU.
#include "exec/cuda/compile/kernels.h"

#include <thread>

#include <gtest/gtest.h>

#include "exec/gpu/fused_source.h"
#include "exec/gpu/persistent/source.h"
#include "io/folder.h"

namespace espalier {
namespace ESPALIER_FILE {

// All primitives in one fused kernel, with row and scalar operands.
FusedKernel every_primitive(uint32_t size) {
  FusedKernel fused;
  fused.size = size;
  fused.in.resize(3);
  fused.in[2].scalar = size > 1;
  fused.registers = 4;
  fused.code.push_back({Primitive::constant, 3, 0, 0, 0, -1.5f});
  for (int p = 1; p <= static_cast<int>(Primitive::choose); ++p) {
    const auto last = static_cast<uint16_t>(fused.registers - 1);
    fused.code.push_back({static_cast<Primitive>(p), fused.registers++, last, 0, 2, 0});
  }
  fused.out.push_back({{}, static_cast<uint16_t>(fused.registers - 1)});
  fused.out.push_back({{}, 0});
  return fused;
}

TEST(CudaSource, EveryPrimitiveCompiles) {
  try {
    nvrtc();
  } catch (const DeviceError& e) {
    GTEST_SKIP() << e.what();
  }
  const SaturatingMask none, first = SaturatingMask::of(0), second = SaturatingMask::of(1), both = first | second;
  for (const auto& [lanes, shadowed] : {std::pair(1u, both), {2u, second}, {4u, both}, {4u, none}}) {
    const std::string source = cuda_source(every_primitive(12), lanes, {shadowed});
    const std::vector<char> code = compile_kernel(source, lanes == 2 ? "sm_80" : "sm_90");
    ASSERT_GT(code.size(), 4u);
    EXPECT_EQ(std::string(code.data(), 4),
              "\x7f"
              "ELF");
  }
}

TEST(CudaSource, EveryKindOfAccessCompiles) {
  try {
    nvrtc();
  } catch (const DeviceError& e) {
    GTEST_SKIP() << e.what();
  }
  const espalier::FusedKernel fused = every_primitive(16);
  using persistent::Access;
  const std::vector<persistent::Function> functions{
      {&fused, {Access::strided, Access::gathered, Access::strided}, SaturatingMask::of(0)},
      {&fused, {Access::near, Access::strided, Access::gathered}}};
  for (const persistent::Products products :
       {persistent::Products{}, {.fast = true}, {.plain = true}, {.fast = true, .plain = true}})
    EXPECT_GT(compile_kernel(persistent::source(functions, products), "sm_90").size(), 4u);
  EXPECT_GT(compile_kernel(persistent::source({}, {.plain = true}), "sm_80").size(), 4u);
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
  EXPECT_EQ(ptx.back(), '\0');  // the driver reads PTX as a null-terminated string
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
