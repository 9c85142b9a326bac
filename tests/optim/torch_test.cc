// The rules and schedules against values computed by PyTorch 1.13 (torch_numbers.py in this folder prints them and
// shows the computation).
#include <limits>

#include <gtest/gtest.h>

#include "optim/textbook.h"

namespace espalier::optim {
namespace ESPALIER_FILE {

struct Numbers {
  const char* name;
  Optimizer (*make)(Parameters&);
  std::vector<float> want;
};
void PrintTo(const Numbers& n, std::ostream* out) { *out << n.name; }

const Numbers numbers[] = {
    {"sgd",
     [](Parameters& p) -> Optimizer { return SGD(p, {.lr = 0.1f, .weight_decay = 0.05f}); },
     {0.403233469f, -0.906819284f, 1.78210557f}},
    {"sgd_momentum",
     [](Parameters& p) -> Optimizer { return SGD(p, {.lr = 0.1f, .momentum = 0.9f, .weight_decay = 0.05f}); },
     {0.104480729f, -0.378234923f, 0.504099131f}},
    {"sgd_nesterov",
     [](Parameters& p) -> Optimizer { return SGD(p, {.lr = 0.1f, .momentum = 0.9f, .nesterov = true}); },
     {0.543598771f, -1.3122046f, 2.16600418f}},
    {"adagrad", [](Parameters& p) -> Optimizer { return Adagrad(p); }, {0.502751112f, -0.998941779f, 1.99908531f}},
    {"adagrad_all",
     [](Parameters& p) -> Optimizer {
       return Adagrad(
           p, {.lr = 0.1f, .lr_decay = 0.05f, .weight_decay = 0.1f, .initial_accumulator_value = 0.5f, .eps = 1e-3f});
     },
     {0.460165292f, -0.904634714f, 1.78470302f}},
    {"adadelta", [](Parameters& p) -> Optimizer { return Adadelta(p); }, {0.497984737f, -1.00220096f, 2.00430799f}},
    {"adadelta_all",
     [](Parameters& p) -> Optimizer {
       return Adadelta(p, {.lr = 0.5f, .rho = 0.8f, .eps = 1e-4f, .weight_decay = 0.1f});
     },
     {0.458499551f, -0.93796885f, 1.87839985f}},
    {"rmsprop", [](Parameters& p) -> Optimizer { return RMSprop(p); }, {0.526434958f, -0.989752471f, 1.99299109f}},
    {"rmsprop_all",
     [](Parameters& p) -> Optimizer {
       return RMSprop(
           p, {.lr = 0.02f, .alpha = 0.9f, .eps = 1e-3f, .weight_decay = 0.1f, .momentum = 0.8f, .centered = true});
     },
     {0.275976539f, -0.391262263f, 0.786592603f}},
    {"adam", [](Parameters& p) -> Optimizer { return Adam(p); }, {0.501478493f, -1.00088894f, 1.99971473f}},
    {"adam_all",
     [](Parameters& p) -> Optimizer {
       return Adam(p, {.lr = 0.02f, .beta1 = 0.8f, .beta2 = 0.9f, .eps = 1e-3f, .weight_decay = 0.1f, .amsgrad = true});
     },
     {0.452898294f, -0.882549763f, 1.7440294f}},
    {"adamw",
     [](Parameters& p) -> Optimizer { return AdamW(p, {.lr = 0.02f, .weight_decay = 0.1f}); },
     {0.498668015f, -0.95892936f, 1.87822664f}},
    {"adamw_amsgrad",
     [](Parameters& p) -> Optimizer {
       return AdamW(p, {.lr = 0.02f, .beta1 = 0.8f, .beta2 = 0.9f, .weight_decay = 0.1f, .amsgrad = true});
     },
     {0.489659727f, -0.954227507f, 1.87838256f}},
};

class Torch : public testing::TestWithParam<Numbers> {};

TEST_P(Torch, GivesTheSameNumbers) {
  Parameters params;
  const Parameter p = Scope(params).add("p", {3}, init::from({0.5f, -1, 2}));
  Optimizer opt = GetParam().make(params);
  for (int t = 0; t < 30; ++t) {
    std::vector<float> gradient;
    for (int i = 0; i < 3; ++i) gradient.push_back(float((7 * t + 3 * i) % 11 - 5) / 8);
    opt.step(Given().dense(p, gradient).get());
  }
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(p.value()[i], GetParam().want[i], 1e-6f) << i;
}
INSTANTIATE_TEST_SUITE_P(All, Torch, testing::ValuesIn(numbers), [](const auto& chosen) { return chosen.param.name; });

void expect_rates(const Schedule& schedule, std::vector<float> want) {
  size_t k = 0;
  for (const uint64_t step : {0u, 1u, 5u, 10u, 14u, 23u}) {
    EXPECT_NEAR(schedule(step), want[k], 1e-6f * want[k]) << step;  // 0.9f is not 0.9
    ++k;
  }
}

TEST(TorchSchedules, GiveTheSameRates) {
  expect_rates(StepLR(0.5f, 5, 0.5f), {0.5f, 0.5f, 0.25f, 0.125f, 0.125f, 0.03125f});
  expect_rates(ExponentialLR(0.5f, 0.9f), {0.5f, 0.45f, 0.295245f, 0.17433922f, 0.114383962f, 0.0443146906f});
  expect_rates(CosineAnnealingLR(0.5f, 20, 0.1f), {0.5f, 0.497537668f, 0.441421356f, 0.3f, 0.18244295f, 0.121798695f});
  expect_rates(LinearLR(0.5f, 12), {0.166666667f, 0.194444444f, 0.305555556f, 0.444444444f, 0.5f, 0.5f});
  expect_rates(WarmUp(8, ExponentialLR(0.5f, 0.9f), 0.25f),
               {0.125f, 0.171875f, 0.359375f, 0.405f, 0.2657205f, 0.102945566f});
  CyclicLROptions o{.step_size_up = 4, .step_size_down = 6, .gamma = 0.9f};
  expect_rates(CyclicLR(0.1f, 0.9f, o), {0.1f, 0.3f, 0.766666667f, 0.1f, 0.9f, 0.7f});
  o.mode = CyclicMode::triangular2;
  expect_rates(CyclicLR(0.1f, 0.9f, o), {0.1f, 0.3f, 0.766666667f, 0.1f, 0.5f, 0.25f});
  o.mode = CyclicMode::exp_range;
  expect_rates(CyclicLR(0.1f, 0.9f, o), {0.1f, 0.28f, 0.49366f, 0.1f, 0.28301434f, 0.153177629f});
}

TEST(TorchSchedules, ReduceOnPlateauGivesTheSameRates) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double metrics[] = {10, 9.5, 8, 8, 8, 8, 8, 8, 8, 7, 7, 7, 7, 7, 7, 7, nan, nan};
  const float rates[] = {1,     1,     1,     1,    0.5f, 0.5f, 0.5f, 0.5f, 0.25f,
                         0.25f, 0.25f, 0.25f, 0.2f, 0.2f, 0.2f, 0.2f, 0.2f, 0.2f};
  ReduceLROnPlateau plateau(1, {.factor = 0.5f, .patience = 1, .threshold = 0.1f, .cooldown = 2, .min_lr = 0.2f});
  for (size_t i = 0; i < std::size(metrics); ++i) EXPECT_EQ(plateau.step(metrics[i]), rates[i]) << i;
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::optim
