// Sums over more than 2^24 rows: adding 1 to a float of 2^24 does not change it. A stride of 0 makes all rows the same
// row.
#include <cmath>

#include <gtest/gtest.h>

#include "exec/cpu/lists.h"
#include "exec/cpu/product/product.h"
#include "exec/cpu/product/thin.h"
#include "exec/segment_sum.h"
#include "exec/targets.h"
#include "op/kernel/logsumexp.h"
#include "op/kernel/rows.h"

namespace espalier {
namespace ESPALIER_FILE {

constexpr uint32_t many = (1u << 24) + 12345;
constexpr float expected = static_cast<float>(many);
constexpr float tolerance = 8;

std::vector<float> ones(size_t n) { return std::vector<float>(n, 1.f); }

TEST(Sums, OfBiasGradients) {
  for_each_target([] {
    const std::vector<float> row = ones(150);
    std::vector<float> sum(150);
    cpu_add_rows(many, 150, {row.data(), 0}, sum.data());
    for (const float s : sum) ASSERT_NEAR(s, expected, tolerance);
  });
}

TEST(Sums, OfWeightGradients) {
  const std::vector<float> dy = ones(40), x = ones(37);
  for (const int m : {1, 3, 40}) {  // thin matrices, and one that is not; a stride of 0 excludes oneDNN
    std::vector<float> dw(static_cast<size_t>(m) * 37);
    cpu_product_gradient(many, m, 37, {dy.data(), 0}, {x.data(), 0}, false, dw.data());
    for (const float d : dw) ASSERT_NEAR(d, expected, tolerance) << "m " << m;
  }
}

TEST(Sums, OfDotProducts) {
  const std::vector<float> x = ones(many);
  float y = 0;
  thin_linear(1, 1, many, {x.data(), many}, x.data(), false, {&y, 1});
  EXPECT_NEAR(y, expected, tolerance);
}

TEST(Sums, OfGatheredRows) {
  const std::vector<float> row = ones(21);
  const std::vector<uint32_t> source(many, 0), offsets{0, many};
  std::vector<float> cpu(21), plain(21);
  SegmentSum<float> s{row.data(), source.data(), offsets.data(), 1, 21, plain.data(), 21};
  segment_sum(s);
  s.out = cpu.data();
  cpu_segment_sum(s);
  EXPECT_EQ(cpu, plain);
  EXPECT_NEAR(cpu[20], expected, tolerance);
}

TEST(Sums, OfLists) {
  const std::vector<float> row = ones(21);
  const std::vector<uint32_t> offsets{0, many};
  std::vector<float> y(21);
  const Rows<const float> in{row.data(), 0};
  Kernel kernel;
  kernel.out_shape = {21};
  OpLaunch<float> l;
  l.kernel = &kernel;
  l.rows = 1;
  l.in = {&in, 1};
  l.out = {y.data(), 21};
  l.segments = {offsets.data(), 1};
  cpu_sum_rows(l);
  EXPECT_NEAR(y[20], expected, tolerance);
  cpu_logsumexp_rows(l);
  EXPECT_NEAR(y[20], 1 + std::log(expected), 1e-4);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
