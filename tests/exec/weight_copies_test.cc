// Copies of weights: their values, their sharing, and when they are renewed.
#include "exec/cpu/product/weight_copies.h"

#include <cstdint>
#include <numeric>
#include <optional>

#include <gtest/gtest.h>
#include <espalier/engine/engine.h>
#include <espalier/expr/functions.h>
#include <espalier/nn/linear.h>

#include "exec/cpu/backend.h"
#include "exec/guarded.h"
#include "exec/plain/plain.h"
#include "param/parameter_values.h"

namespace espalier {
namespace ESPALIER_FILE {

using detail::latest_parameter_version;

std::vector<float> counting(int64_t n) {
  std::vector<float> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), 1.f);
  return all;
}

TEST(WeightCopies, HaveTheValuesOfTheWeightInAlignedPaddedRows) {
  WeightCopies copies;
  for (const auto& [m, n] : {std::pair{1, 1}, {5, 3}, {4, 4}, {17, 33}, {1024, 20}, {20, 1024}}) {
    const std::vector<float> w = counting(m * n);
    for (const WeightLayout layout : {WeightLayout::padded, WeightLayout::transposed}) {
      const bool turned = layout == WeightLayout::transposed;
      const auto copy = copies.find_or_make({w.data(), m, n}, layout, 1);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(copy->data.data()) % 64, 0u);
      EXPECT_GE(copy->stride, turned ? m : n);
      if ((turned ? m : n) == 1024) {
        EXPECT_NE(copy->stride % 1024, 0);
      }
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const int64_t at = turned ? j * copy->stride + i : i * copy->stride + j;
          ASSERT_EQ(copy->data[static_cast<size_t>(at)], w[static_cast<size_t>(i * n + j)]) << m << " " << n;
        }
    }
  }
}

TEST(WeightCopies, AreSharedUntilAParameterChanges) {
  const auto shared = std::make_shared<WeightCopies>();
  UsedWeightCopies one(shared), other(shared);
  std::vector<float> w = counting(12);
  const StoredWeight weight{w.data(), 3, 4};
  one.begin();
  other.begin();
  const WeightCopy* const first = &one.of(weight, WeightLayout::transposed);
  EXPECT_EQ(&other.of(weight, WeightLayout::transposed), first);
  EXPECT_NE(&one.of(weight, WeightLayout::padded), first);
  EXPECT_NE(&one.of({w.data(), 4, 3}, WeightLayout::transposed), first);  // the same values in another shape

  one.end();
  one.begin();
  EXPECT_EQ(&one.of(weight, WeightLayout::transposed), first);

  w[0] = 100;
  ++latest_parameter_version;
  one.begin();
  const WeightCopy& renewed = one.of(weight, WeightLayout::transposed);
  EXPECT_EQ(renewed.data[0], 100);
  EXPECT_EQ(first->data[0], 1);  // `other` still uses it
  other.begin();
  EXPECT_EQ(&other.of(weight, WeightLayout::transposed), &renewed);
}

TEST(WeightCopies, GiveTheirMemoryToLaterCopiesOfTheSameSize) {
  const auto shared = std::make_shared<WeightCopies>();
  UsedWeightCopies used(shared);
  const std::vector<float> a = counting(12), b = counting(12);
  ++latest_parameter_version;
  used.begin();
  const float* const memory = used.of({a.data(), 3, 4}, WeightLayout::transposed).data.data();
  used.end();
  ++latest_parameter_version;
  used.begin();
  EXPECT_EQ(used.of({b.data(), 3, 4}, WeightLayout::transposed).data.data(), memory);
}

TEST(WeightCopies, AreFreedWhenAWholeVersionDidNotNeedThem) {
  WeightCopies copies;
  const std::vector<float> a = counting(12), b = counting(20);
  const auto version = [&](const std::vector<float>& w, uint64_t number) {
    return std::weak_ptr(
        copies.find_or_make({w.data(), 4, static_cast<int64_t>(w.size()) / 4}, WeightLayout::padded, number));
  };
  const auto unused = version(a, 1);
  EXPECT_FALSE(unused.expired());  // not used by an executor, but it is current
  version(b, 2);
  EXPECT_FALSE(unused.expired());  // version 3 may reuse its memory
  version(b, 3);
  EXPECT_TRUE(unused.expired());
}

// Products through the backend, which chooses the layout, against the plain loops.
void compare(const OpInfo& op, int m, int n, int64_t rows, int64_t rows_of_round, bool train, bool adds) {
  std::mt19937 random(7);
  const bool forward = &op == &info<op::Linear>();
  const int in = forward ? n : m, out = forward ? m : n;
  Kernel k;
  k.op = &op;
  k.adds = adds;
  k.in_shapes = {{in}, {m, n}};
  k.out_shape = op.infer(k.attrs, k.in_shapes);
  Guarded<float> x(rows, in, in), w(1, m * n, 0), y(rows, out, out), expected(rows, out, out);
  x.fill(random, -1, 1);
  w.fill(random, -1, 1);
  y.fill(random, -1, 1);
  for (int64_t r = 0; r < rows; ++r) std::copy_n(y[r], out, expected[r]);
  const Rows<const float> inputs[]{x.const_rows(), w.const_rows()};
  OpLaunch<float> l;
  l.kernel = &k;
  l.rows = rows;
  l.rows_of_round = rows_of_round;
  l.in = inputs;
  l.out = y.rows();
  l.train = train;
  CpuBackend backend(std::make_shared<WeightCopies>());
  backend.begin();
  backend.op(l);
  l.out = expected.rows();
  plain_function<float> (&op)(l);
  EXPECT_TRUE(y.intact());
  const auto got = y.values(), right = expected.values();
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], right[i], 1e-3) << op.doc.name << " " << m << " " << n << " rows " << rows;
}

TEST(WeightCopies, GiveTheProductsOfTheWeightInEveryLayout) {
  const SingleThread alone;
  for (const bool adds : {false, true})
    for (const bool train : {false, true})
      for (const int64_t rows : {1, 3, 40})
        for (const int64_t rows_of_round : {rows, int64_t{5000}})
          for (const auto& [m, n] : {std::pair{20, 7}, {128, 64}, {512, 40}, {40, 512}, {8, 1024}}) {
            compare(info<op::Linear>(), m, n, rows, rows_of_round, train, adds);
            compare(info<op::LinearTransposed>(), m, n, rows, rows_of_round, train, adds);
          }
}

// Inference keeps its copies, so it has to notice every change of a parameter.
TEST(WeightCopies, InferenceSeesAssignedAndNewWeights) {
  constexpr int size = 20;
  const std::vector<int> examples{0, 1, 2};
  const std::vector<float> ones(size, 1.f);
  Engine engine;
  for (int round = 0; round < 20; ++round) {  // each parameter is likely to get the memory of the one before
    Parameters params;
    nn::Linear layer(params / "layer", size, size);
    const auto first_element = [&] {
      auto batch =
          engine.record(examples, [&](Graph& g, int) { return layer(input(g, ones, {size})); }, {.mode = Mode::infer});
      return engine.infer(batch)[1][0];
    };
    for (const float value : {static_cast<float>(round), 0.5f}) {
      layer.weight.assign({{size, size}, std::vector<float>(size * size, value)});
      EXPECT_EQ(first_element(), value * size);
    }
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
