// The bounds of law/tolerance.h: rounding stays within them, and wrong products exceed them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/ref/rounded.h"
#include "law/recurrent.h"
#include "law/tolerance.h"

namespace espalier::law {
namespace ESPALIER_FILE {

double farthest(std::span<const Tensor> got, std::span<const Tensor> want) {
  double most = 0;
  for (size_t i = 0; i < want.size(); ++i) most = std::max(most, distance(got[i], want[i]));
  return most;
}

TEST(Rounded, keeps_so_many_bits) {
  EXPECT_EQ(rounded(1 + 0x1p-7, 8), 1 + 0x1p-7);
  EXPECT_EQ(rounded(-(1 + 0x1.8p-8), 8), -(1 + 0x1p-7));
  EXPECT_EQ(rounded(3 + 0x1p-10 - 0x1p-20, 11), 3);
  EXPECT_EQ(rounded(3 + 0x1p-10 + 0x1p-20, 11), 3 + 0x1p-9);
  EXPECT_EQ(rounded(0, 8), 0);
  EXPECT_TRUE(std::isinf(rounded(std::numeric_limits<double>::infinity(), 8)));
}

TEST(Nearness, is_measured_by_the_row) {
  const Tensor want{{4}, {3, 4, 0, 0}};  // root mean square 2.5
  EXPECT_EQ(distance(want, want), 0);
  EXPECT_NEAR(distance({{4}, {3, 4, 0.25f, 0}}, want), 0.1, 1e-9);
  EXPECT_NEAR(distance({{4}, {3, 4.4f, 0, 0}}, want), 0.1, 1e-6);
  EXPECT_NEAR(distance({{4}, {3, 4, 0.25f, 0}}, want, 5), 0.05, 1e-9);
  EXPECT_TRUE(std::isinf(distance({{4}, {3, 4, NAN, 0}}, want)));
  EXPECT_TRUE(std::isinf(distance({{2, 2}, {3, 4, 0, 0}}, want)));
  EXPECT_EQ(too_far({{4}, {3, 4, 0.25f, 0}}, want, Precision::tf32),
            "tf32: [4] is off by 0.100000, 6.400000 times the bound");
}

// The rounded reference uses about half of the bound; the rest is left for other errors of a device.
TEST(Nearness, rounded_factors_are_near) {
  for (const Recurrence& r : recurrences()) {
    const RecurrentNet net(r, Kind::smooth);
    for (const int rows : r.hidden > 48 ? std::vector{1} : std::vector{1, 5, 17}) {
      const States want = net.train({.device = Device::ref()}, rows);
      for (Precision p : {Precision::tf32, Precision::bf16}) {
        const States got = net.train({.device = Device::ref(), .precision = p}, rows);
        const double states = farthest(got.states, want.states), gradients = farthest(got.gradients, want.gradients);
        const std::string who = name(r) + ", " + std::to_string(rows) + " rows, " + std::string(name(p));
        EXPECT_GT(states, bound(p) / 256) << who << ": nothing was rounded";
        EXPECT_LT(states, bound(p) / 2) << who;
        EXPECT_LT(gradients, bound(p) * 0.6) << who;
      }
      const States cpu = net.train({.device = Device::cpu()}, rows);
      EXPECT_LT(farthest(cpu.states, want.states), bound(Precision::f32) / 8) << name(r);
      EXPECT_LT(farthest(cpu.gradients, want.gradients), bound(Precision::f32) / 8) << name(r);
    }
  }
}

// The effect of a wrong product, simulated by a different matrix, on states and gradients.
struct Distances {
  double states = 0, gradients = 0;
};
Distances with_another(RecurrentNet& net, Parameter w, const Tensor& wrong, const States& want, int rows) {
  const Tensor right = w.value();
  w.assign(wrong);
  const States got = net.train({.device = Device::ref()}, rows);
  w.assign(right);
  return {farthest(got.states, want.states), farthest(got.gradients, want.gradients)};
}
Tensor rows_exchanged(const Tensor& w, int count) {
  std::vector<float> values = w.to_vector();
  const std::ptrdiff_t n = std::ptrdiff_t{count} * w.shape()[1];
  std::swap_ranges(values.begin(), values.begin() + n, values.begin() + n);
  return {w.shape(), std::move(values)};
}
Tensor terms_left_out(const Tensor& w, int count) {
  std::vector<float> values = w.to_vector();
  for (auto row = values.begin(); row != values.end(); row += w.shape()[1])
    std::fill_n(row, std::min(w.shape()[1], count), 0.f);
  return {w.shape(), std::move(values)};
}

TEST(Nearness, wrong_products_are_far) {
  for (const Recurrence& r : recurrences()) {
    RecurrentNet net(r, Kind::smooth);
    const int rows = r.hidden > 48 ? 1 : 5;
    const States want = net.train({.device = Device::ref()}, rows);
    for (const Parameter& w : net.params.all()) {
      if (w.shape().rank != 2) continue;
      for (const Tensor& wrong : {rows_exchanged(w.value(), 1), terms_left_out(w.value(), 16)}) {
        const Distances d = with_another(net, w, wrong, want, rows);
        EXPECT_GT(std::max(d.states, d.gradients), 4 * bound(Precision::tf32)) << name(r) << ", " << w.name();
      }
    }
  }
}

TEST(WholeNumbers, are_exact_in_every_precision) {
  for (const Recurrence& r : recurrences()) {
    const RecurrentNet net(r, Kind::whole);
    for (const int rows : r.hidden > 48 ? std::vector{1} : std::vector{5, 100}) {
      const States want = net.train({.device = Device::ref()}, rows);
      for (const EngineOptions& options : {EngineOptions{.device = Device::ref(), .precision = Precision::bf16},
                                           EngineOptions{.device = Device::cpu()}}) {
        const States got = net.train(options, rows);
        EXPECT_EQ(farthest(got.states, want.states), 0) << name(r);
        EXPECT_EQ(farthest(got.gradients, want.gradients), 0) << name(r);
      }
    }
  }
}

TEST(WholeNumbers, show_wrong_products) {
  for (const Recurrence& r : recurrences()) {
    RecurrentNet net(r, Kind::whole);
    const int rows = r.hidden > 48 ? 1 : 5;
    const States want = net.train({.device = Device::ref()}, rows);
    for (const Parameter& w : net.params.all()) {
      if (w.shape().rank != 2) continue;
      for (const Tensor& wrong : {rows_exchanged(w.value(), 4), terms_left_out(w.value(), 8)}) {
        const Distances d = with_another(net, w, wrong, want, rows);
        EXPECT_GT(d.states, 0.1) << name(r) << ", " << w.name();
        EXPECT_GT(d.gradients, 0.1) << name(r) << ", " << w.name();
      }
    }
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
