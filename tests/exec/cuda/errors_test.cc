// Error messages if device memory runs out or CUDA fails. The process stays usable.
#include <regex>

#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "exec/cuda/check.h"
#include "exec/cuda/memory/buffers.h"
#include "exec/executor.h"
#include "tensor/gpu_memory.h"

namespace espalier {
namespace ESPALIER_FILE {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const DeviceError& e) {
    return e.what();
  }
  return "no error";
}

TEST(CudaErrors, NameWhatWasAskedFor) {
  EXPECT_EQ(error_of([] { check(cudaErrorInvalidValue, "a copy"); }), "cuda: a copy: invalid argument");
  EXPECT_EQ(error_of([] { check(cudaSuccess, "a copy"); }), "no error");
}

TEST(CudaErrors, OfKernelsTellHowToFindThem) {
  EXPECT_EQ(error_of([] { check(cudaErrorIllegalAddress, "waiting for the device"); }),
            "cuda: waiting for the device: an illegal memory access was encountered; the cause is this launch or an "
            "earlier one: set CUDA_LAUNCH_BLOCKING=1 to find out which");
}

TEST(CudaErrors, AmountsOfMemoryAreReadable) {
  EXPECT_EQ(amount(0), "0 bytes");
  EXPECT_EQ(amount(1000), "1000 bytes");
  EXPECT_EQ(amount(size_t{5} << 20), "5 MiB");
  EXPECT_EQ(amount((size_t{5} << 20) + 1000000), "6 MiB");
}

class CudaErrorsOnAGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu_.memory == nullptr) GTEST_SKIP() << gpu_.why;
  }
  // Checks that an existing engine and new allocations still work.
  void expect_all_is_well() {
    Graph graph = engine_->graph(Mode::infer);
    const std::vector<float> numbers(1000, 0.5f);
    EXPECT_EQ(engine_->value(sum_elements(input(graph, numbers, {1000}))), 500);
    void* const memory = gpu_.memory->allocate(1 << 20);
    EXPECT_NE(memory, nullptr);
    gpu_.memory->release(memory, 1 << 20);
  }

  Gpu gpu_;
  std::unique_ptr<Engine> engine_ =
      gpu_.memory == nullptr ? nullptr : std::make_unique<Engine>(EngineOptions{.device = Device::cuda()});
};

constexpr size_t far_too_much = size_t{1} << 42;  // bytes

TEST_F(CudaErrorsOnAGpu, NumbersThatFindNoRoom) {
  expect_all_is_well();
  const std::string text = error_of([&] { gpu_.memory->allocate(far_too_much); });
  EXPECT_TRUE(std::regex_match(text, std::regex("device cuda:0: 4194304 MiB are needed for parameters, gradients or an "
                                                "optimiser's state, and \\d+ MiB of \\d+ MiB are free")))
      << text;
  expect_all_is_well();
}

TEST_F(CudaErrorsOnAGpu, BuffersThatFindNoRoom) {
  DeviceBuffer<float> buffer;
  buffer.need(16);
  const std::string text = error_of([&] { buffer.need(far_too_much / sizeof(float)); });
  EXPECT_TRUE(
      std::regex_match(text, std::regex("cuda: memory for indices and sums: \\d+ MiB are needed, and \\d+ MiB of "
                                        "\\d+ MiB are free")))
      << text;
  EXPECT_NE(buffer.need(16), nullptr);
  expect_all_is_well();
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
