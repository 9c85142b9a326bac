// Every update rule on a device against the same rule on the host; and values stay on the device.
#include <gtest/gtest.h>
#include <espalier/io/checkpoint.h>
#include <espalier/optim/moving_average.h>

#include "io/folder.h"
#include "optim/cases.h"
#include "tensor/fake_device.h"
#include "tensor/gpu_memory.h"

namespace espalier::optim {
namespace ESPALIER_FILE {

struct Model {
  Parameters params{3};
  std::vector<Parameter> all;
  Optimizer opt;

  explicit Model(const Textbook& rule)
      : all{Scope(params).add("weight", {7, 5}), Scope(params).add("scale", {}), Scope(params).add("long", {203}),
            Scope(params).add_lookup("words", 50, {19}), Scope(params).add_lookup("prior", 30, {})},
        opt(optimizer(params, rule)) {
    opt.group("words", 0.5f, 0.f);
  }
  // The gradients of a step, the same for every model.
  Given gradients(int step) const {
    Chance chance(100 + static_cast<uint64_t>(step));
    Given given;
    for (const Parameter& p : all)
      if (p.name() != "scale" || step % 2 == 1) chance.give(given, p);
    return given;
  }
  void step_on_host(int step) { opt.step(gradients(step).get()); }
  void step_on(DeviceMemory& device, int step) {
    const Given given = gradients(step);
    put_on(device, const_cast<detail::GradientState&>(given.state()));
    if (auto* fake = dynamic_cast<FakeDevice*>(&device)) fake->forget();  // count only the copies of the step
    opt.step(given.get());
  }
  void expect_near(const Model& other) const {
    for (size_t k = 0; k < all.size(); ++k) {
      const std::vector<float> got = all[k].value().to_vector(), want = other.all[k].value().to_vector();
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], want[i], 1e-6 * (1 + std::abs(want[i]))) << all[k].name() << " " << i;
    }
  }
};

class RulesOnADevice : public testing::TestWithParam<Case> {};

TEST_P(RulesOnADevice, GiveTheSameNumbersAndStayThere) {
  FakeDevice device;
  Model host(GetParam().textbook), there(GetParam().textbook);
  const size_t tables = 2;
  for (int step = 0; step < 40; ++step) {
    host.step_on_host(step);
    const uint64_t before = detail::latest_parameter_version;
    there.step_on(device, step);
    for (const size_t k : {0, 3})
      EXPECT_GT(there.all[k].storage()->data.version(), before)
          << "a graph that ran with the old " << there.all[k].name();
    EXPECT_EQ(device.downloads, 0u);
    const size_t met = step == 0 ? 4 : step == 1 ? 1 : 0;  // number of parameters that are uploaded, once each
    EXPECT_EQ(device.uploads, tables + met) << "step " << step;
  }
  there.expect_near(host);
}

TEST_P(RulesOnADevice, GoOnOnTheHostAndBack) {
  FakeDevice device;
  Model host(GetParam().textbook), both(GetParam().textbook);
  for (int step = 0; step < 30; ++step) {
    host.step_on_host(step);
    if (step / 5 % 2 == 0)
      both.step_on(device, step);
    else
      both.step_on_host(step);
  }
  both.expect_near(host);
}

TEST_P(RulesOnADevice, AreSavedAndLoaded) {
  const io::Folder folder;
  FakeDevice device;
  Model through(GetParam().textbook), first(GetParam().textbook), second(GetParam().textbook);
  for (int step = 0; step < 20; ++step) through.step_on(device, step);
  for (int step = 0; step < 10; ++step) first.step_on(device, step);
  io::save(folder / "c", {&first.params, &first.opt});
  second.step_on(device, 77);  // so that a load makes values on the device stale
  io::load(folder / "c", {&second.params, &second.opt});
  for (int step = 10; step < 20; ++step) second.step_on(device, step);
  for (size_t k = 0; k < through.all.size(); ++k)
    EXPECT_EQ(second.all[k].value().to_vector(), through.all[k].value().to_vector());
}

INSTANTIATE_TEST_SUITE_P(All, RulesOnADevice, testing::ValuesIn(cases),
                         [](const auto& chosen) { return chosen.param.name; });

TEST(OnAGpu, RulesGiveTheSameNumbers) {
  const Gpu gpu;
  if (gpu.memory == nullptr) GTEST_SKIP() << gpu.why;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Model host(c.textbook), there(c.textbook);
    for (int step = 0; step < 40; ++step) {
      host.step_on_host(step);
      there.step_on(*gpu.memory, step);
    }
    there.expect_near(host);
  }
}

TEST(OnADevice, AParameterThatTheHostChangedGoesThereAgain) {
  FakeDevice device;
  Model host({.rule = Rule::adam}), there({.rule = Rule::adam});
  for (int step = 0; step < 6; ++step) {
    if (step == 3)
      for (Model* m : {&host, &there}) m->params["weight"].assign({{7, 5}, std::vector<float>(35, 0.25f)});
    host.step_on_host(step);
    there.step_on(device, step);
    if (step == 3) {
      EXPECT_EQ(device.uploads, 2u + 1u);
    }
  }
  there.expect_near(host);
}

// A failed step changes nothing, wherever it fails.
TEST(OnADevice, AStepThatFailsIsNotCounted) {
  FakeDevice device;
  Model host({.rule = Rule::adam}), there({.rule = Rule::adam});
  host.step_on_host(0);
  there.step_on(device, 0);
  device.lost = true;
  EXPECT_THROW(there.step_on_host(1), DeviceError);
  device.lost = false;
  EXPECT_EQ(there.opt.steps(), 1u);
  for (int step = 1; step < 4; ++step) {
    host.step_on_host(step);
    there.step_on_host(step);
  }
  there.expect_near(host);
}

TEST(OnADevice, ALoadThatFailsChangesNothing) {
  const io::Folder folder;
  FakeDevice device;
  Model saved({.rule = Rule::adam}), there({.rule = Rule::adam}), same({.rule = Rule::adam});
  for (int step = 0; step < 3; ++step) saved.step_on_host(step);
  io::save(folder / "c", {&saved.params, &saved.opt});
  there.step_on(device, 7);
  same.step_on(device, 7);
  for (size_t k = 0; k + 1 < there.all.size(); ++k) (void)there.all[k].value();  // the host holds all but the last
  device.lost = true;
  EXPECT_THROW(io::load(folder / "c", {&there.params, &there.opt}), DeviceError);
  device.lost = false;
  EXPECT_EQ(there.opt.steps(), 1u);
  for (size_t k = 0; k < there.all.size(); ++k)
    EXPECT_EQ(there.all[k].value().to_vector(), same.all[k].value().to_vector());
  there.step_on(device, 8);
  same.step_on(device, 8);
  for (size_t k = 0; k < there.all.size(); ++k)
    EXPECT_EQ(there.all[k].value().to_vector(), same.all[k].value().to_vector());
}

TEST(OnADevice, FrozenAndForeignParametersRest) {
  FakeDevice device;
  Parameters params(1), others(2);
  Parameter a = Scope(params).add("a", {2}, init::constant(1)), b = Scope(params).add("b", {2}, init::constant(1));
  const Parameter foreign = Scope(others).add("c", {2}, init::constant(1));
  b.freeze();
  SGD opt(params, {.lr = 1, .clip_norm = 1});
  const Given given = Given().dense(a, {3, 4}).dense(b, {50, 60}).dense(foreign, {70, 80});
  put_on(device, const_cast<detail::GradientState&>(given.state()));
  opt.step(given.get());
  EXPECT_NEAR(a.value()[0], 1 - 0.6f, 1e-6);  // the clipped norm excludes frozen and foreign gradients
  EXPECT_NEAR(a.value()[1], 1 - 0.8f, 1e-6);
  EXPECT_EQ(b.value().to_vector(), (std::vector<float>{1, 1}));
  EXPECT_EQ(foreign.value().to_vector(), (std::vector<float>{1, 1}));
  EXPECT_EQ(given.get().of(a).to_vector(), (std::vector<float>{3, 4}));  // the gradients are unchanged
}

TEST(OnADevice, AveragesFollow) {
  FakeDevice device;
  Model host({.rule = Rule::adam}), there({.rule = Rule::adam});
  MovingAverage expected(host.params, 0.9f), got(there.params, 0.9f);
  for (int step = 0; step < 5; ++step) {
    expected.step(host.opt, host.gradients(step).get());
    const Given given = there.gradients(step);
    put_on(device, const_cast<detail::GradientState&>(given.state()));
    got.step(there.opt, given.get());
  }
  expected.swap_in();
  got.swap_in();
  there.expect_near(host);
  got.swap_out();
  expected.swap_out();
  there.expect_near(host);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::optim
