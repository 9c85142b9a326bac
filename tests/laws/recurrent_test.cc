// Recurrent networks on a GPU in every precision: states and gradients are close to the reference.
#include <gtest/gtest.h>

#include "exec/executor.h"
#include "law/recurrent.h"
#include "law/tolerance.h"

namespace espalier::law {
namespace ESPALIER_FILE {

class Recurrent : public testing::TestWithParam<Recurrence> {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  }
  // Minibatch sizes that fill a part of a tensor-core tile, one tile, and several tiles.
  std::vector<int> minibatches() const {
    return GetParam().hidden > 48 ? std::vector{1, 5, 17, 40} : std::vector{1, 5, 12, 17, 40, 100};
  }
};

void expect_near(std::span<const Tensor> got, std::span<const Tensor> want, Precision precision,
                 const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(too_far(got[i], want[i], precision), "") << what << " " << i << " of " << want.size();
}

void expect_equal(std::span<const Tensor> got, std::span<const Tensor> want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(got[i].to_vector(), want[i].to_vector()) << what << " " << i << " of " << want.size();
}

TEST_P(Recurrent, is_near_the_reference) {
  const RecurrentNet net(GetParam(), Kind::smooth);
  for (const int rows : minibatches()) {
    const States want = net.train({.device = Device::ref()}, rows);
    const std::vector<Tensor> inferred = net.infer({.device = Device::ref()}, rows);
    for (Precision precision : {Precision::f32, Precision::tf32, Precision::bf16}) {
      SCOPED_TRACE(std::to_string(rows) + " rows");
      const EngineOptions cuda{.device = Device::cuda(), .precision = precision};
      const States got = net.train(cuda, rows);
      expect_near(got.states, want.states, precision, "state");
      expect_near(got.gradients, want.gradients, precision, "gradient");
      expect_near(net.infer(cuda, rows), inferred, precision, "inferred");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Recurrent, is_exact_in_whole_numbers) {
  const RecurrentNet net(GetParam(), Kind::whole);
  for (const int rows : minibatches()) {
    const States want = net.train({.device = Device::ref()}, rows);
    const std::vector<Tensor> inferred = net.infer({.device = Device::ref()}, rows);
    for (Precision precision : {Precision::f32, Precision::tf32, Precision::bf16}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::string(name(precision)));
      const EngineOptions cuda{.device = Device::cuda(), .precision = precision};
      const States got = net.train(cuda, rows);
      expect_equal(got.states, want.states, "state");
      expect_equal(got.gradients, want.gradients, "gradient");
      expect_equal(net.infer(cuda, rows), inferred, "inferred");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Recurrent, has_the_same_bits_every_time) {
  const RecurrentNet net(GetParam(), Kind::smooth);
  for (Precision precision : {Precision::tf32, Precision::bf16}) {
    const EngineOptions cuda{.device = Device::cuda(), .precision = precision};
    const States a = net.train(cuda, 17), b = net.train(cuda, 17);
    expect_equal(a.states, b.states, "state");
    expect_equal(a.gradients, b.gradients, "gradient");
  }
}

INSTANTIATE_TEST_SUITE_P(cuda, Recurrent, testing::ValuesIn(recurrences()),
                         [](const auto& tested) { return name(tested.param); });

// The networks above test the persistent kernel, so it must actually run them.
TEST(RecurrentSteps, are_persistent_kernels_on_cuda) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  for (const Recurrence& r : recurrences()) {
    if (r.name != "lstm" && r.name != "fold_tree") continue;  // the backward pass of a GRU copies rows between steps
    const RecurrentNet net(r, Kind::smooth);
    const uint64_t one_by_one = net.train({.device = Device::ref()}, 1).launches;
    const uint64_t persistent = net.train({.device = Device::cuda(), .precision = Precision::tf32}, 1).launches;
    EXPECT_LT(2 * persistent, one_by_one) << name(r);
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
