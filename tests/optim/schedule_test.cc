// Schedules against closed forms, ReduceLROnPlateau against a worked sequence, and rejected settings.
#include <espalier/optim/schedule.h>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include "support/error_of.h"

namespace espalier::optim {
namespace ESPALIER_FILE {

void expect_everywhere(const Schedule& schedule, double (*closed)(double), uint64_t steps = 200) {
  for (uint64_t step = 0; step < steps; ++step)
    ASSERT_FLOAT_EQ(schedule(step), static_cast<float>(closed(static_cast<double>(step)))) << step;
}

TEST(Schedules, FollowTheirClosedForms) {
  expect_everywhere(StepLR(2, 30, 0.5f), [](double t) { return 2 * std::pow(0.5, std::floor(t / 30)); });
  expect_everywhere(StepLR(2, 7), [](double t) { return 2 * std::pow(double(0.1f), std::floor(t / 7)); }, 100);
  expect_everywhere(ExponentialLR(3, 0.75f), [](double t) { return 3 * std::pow(0.75, t); });
  expect_everywhere(CosineAnnealingLR(2, 50, 0.5f),
                    [](double t) { return 0.5 + 1.5 * (1 + std::cos(std::acos(-1.) * t / 50)) / 2; });
  expect_everywhere(LinearLR(2, 100, 1, 0), [](double t) { return t < 100 ? 2 * (1 - t / 100) : 0; });
  expect_everywhere(LinearLR(2, 40, 0.5f), [](double t) { return t < 40 ? 1 + t / 40 : 2; });
  // A triangle wave: the distance to the nearest minimum.
  expect_everywhere(CyclicLR(1, 5, {.step_size_up = 16}), [](double t) {
    const double at = std::fmod(t, 32);
    return 1 + 4 * std::min(at, 32 - at) / 16;
  });
  expect_everywhere(CyclicLR(1, 5, {.step_size_up = 8, .mode = CyclicMode::triangular2}), [](double t) {
    const double at = std::fmod(t, 16);
    return 1 + 4 * std::min(at, 16 - at) / 8 / std::pow(2, std::floor(t / 16));
  });
  expect_everywhere(CyclicLR(1, 5, {.step_size_up = 8, .mode = CyclicMode::exp_range, .gamma = 0.875f}), [](double t) {
    const double at = std::fmod(t, 16);
    return 1 + 4 * std::min(at, 16 - at) / 8 * std::pow(0.875, t);
  });
}

TEST(Schedules, ACosineEndsWhereItShould) {
  const CosineAnnealingLR cosine(0.1f, 1000, 0.001f);
  EXPECT_EQ(cosine(0), 0.1f);
  EXPECT_EQ(cosine(1000), 0.001f);
  EXPECT_EQ(cosine(2000), 0.1f);
}

TEST(Schedules, AnythingMayComeAfterAWarmUp) {
  const WarmUp warm(4, WarmUp(2, [](uint64_t step) { return 8 + float(step); }, 0.5f), 0);
  const float want[] = {0, 1, 2, 3, 4, 6, 8, 9, 10};  // up to then(0) = 4, up to the inner then(0) = 8, then 8 + step
  for (uint64_t step = 0; step < std::size(want); ++step) EXPECT_EQ(warm(step), want[step]) << step;
  EXPECT_EQ(WarmUp(0, StepLR(1, 1))(1), StepLR(1, 1)(1));
}

using Options = ReduceLROnPlateauOptions;

TEST(ReduceLROnPlateau, AWorkedSequence) {
  // Absolute threshold 1, patience 2, cooldown 1.
  ReduceLROnPlateau plateau(8, {.mode = Options::Mode::max,
                                .factor = 0.5f,
                                .patience = 2,
                                .threshold = 1,
                                .threshold_mode = Options::Threshold::absolute,
                                .cooldown = 1,
                                .min_lr = 1.5f});
  const std::pair<double, float> calls[] = {
      {5, 8}, {7, 8},                              // better
      {8, 8}, {7.5, 8}, {8, 4},                    // better by at most 1: three bad calls
      {0, 4},                                      // cooldown
      {1, 4}, {2, 4},   {8.5, 4}, {8, 4}, {8, 4},  // two bad calls, a better one, two bad calls
      {9, 2}, {9, 2},   {9, 2},   {9, 2}, {9, 1.5f}, {9, 1.5f},
  };
  for (const auto& [metric, lr] : calls) EXPECT_EQ(plateau.step(metric), lr) << plateau.to_string();
  EXPECT_EQ(plateau.to_string(), "1.5 8.5 0 0");
}

TEST(ReduceLROnPlateau, GoesOnFromItsText) {
  const auto metric = [](int i) { return 1 / (1 + 0.01 * i) + (i % 7) * 0.1; };
  const Options options{.factor = 0.3f, .patience = 2, .cooldown = 1};
  for (int stop = 0; stop < 60; ++stop) {
    ReduceLROnPlateau through(0.1f, options), first(0.1f, options), second(7, options);
    for (int i = 0; i < stop; ++i) through.step(metric(i)), first.step(metric(i));
    second.from_string(first.to_string());
    for (int i = stop; i < 60; ++i) ASSERT_EQ(second.step(metric(i)), through.step(metric(i)));
    EXPECT_EQ(second.to_string(), through.to_string());
    EXPECT_LT(second.lr(), 0.1f);
  }
}

using test::error_of;

TEST(ScheduleErrors, NameTheSettingAndWhatIsNeeded) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error_of([] { StepLR(-1, 1); }), "StepLR: lr is -1; it must be finite and at least 0");
  EXPECT_EQ(error_of([] { StepLR(1, 0); }), "StepLR: step_size is 0; it must be at least 1");
  EXPECT_EQ(error_of([&] { StepLR(1, 1, nan); }), "StepLR: gamma is nan; it must be finite and at least 0");
  EXPECT_EQ(error_of([] { ExponentialLR(1, -1); }), "ExponentialLR: gamma is -1; it must be finite and at least 0");
  EXPECT_EQ(error_of([] { CosineAnnealingLR(1, 0); }), "CosineAnnealingLR: t_max is 0; it must be at least 1");
  EXPECT_EQ(error_of([] { CosineAnnealingLR(1, 1, -1); }),
            "CosineAnnealingLR: eta_min is -1; it must be finite and at least 0");
  EXPECT_EQ(error_of([] { LinearLR(1, 0); }), "LinearLR: total_iters is 0; it must be at least 1");
  EXPECT_EQ(error_of([] { LinearLR(1, 1, 2); }), "LinearLR: start_factor is 2; it must be at least 0 and at most 1");
  EXPECT_EQ(error_of([] { LinearLR(1, 1, 1, -1); }), "LinearLR: end_factor is -1; it must be at least 0 and at most 1");
  EXPECT_EQ(error_of([] { WarmUp(1, {}); }), "WarmUp: then is empty; it must be a schedule");
  EXPECT_EQ(error_of([] { WarmUp(1, StepLR(1, 1), -1); }),
            "WarmUp: start_factor is -1; it must be at least 0 and at most 1");
  EXPECT_EQ(error_of([] { CyclicLR(1, 2, {.step_size_up = 0}); }),
            "CyclicLR: step_size_up is 0; it must be at least 1");
  EXPECT_EQ(error_of([] { CyclicLR(1, 2, {.gamma = 2}); }),
            "CyclicLR: gamma is 2; it must be at least 0 and at most 1");
  EXPECT_EQ(error_of([] { ReduceLROnPlateau(1, {.factor = 1}); }),
            "ReduceLROnPlateau: factor is 1; it must be at least 0 and below 1");
  EXPECT_EQ(error_of([] { ReduceLROnPlateau(1, {.min_lr = -1}); }),
            "ReduceLROnPlateau: min_lr is -1; it must be finite and at least 0");
}

TEST(ScheduleErrors, ATextThatIsNoStateChangesNothing) {
  ReduceLROnPlateau plateau(0.5f);
  plateau.step(3);
  for (const char* bad : {"", "1", "1 2 3", "1 2 3 4 ", "1 2 3 -4", "x 2 3 4", "1 nan 3 4", "-1 2 3 4", "inf 2 3 4",
                          "1  2 3 4", "1 2 3 4 5", "1e99 2 3 4", "1 2 3.5 4"})
    EXPECT_EQ(error_of([&] { plateau.from_string(bad); }), "ReduceLROnPlateau: the state is '" + std::string(bad) +
                                                               "'; four numbers are needed, as to_string writes them");
  EXPECT_EQ(plateau.to_string(), "0.5 3 0 0");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::optim
