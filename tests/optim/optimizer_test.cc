// The parameters that an optimiser updates, their rates, and rejected options.
#include <espalier/optim/optimizer.h>

#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "optim/state.h"
#include "optim/textbook.h"
#include "support/error_of.h"

namespace espalier::optim {
namespace ESPALIER_FILE {

Parameter ones(Scope scope, const char* name, int n = 1) { return scope.add(name, {n}, init::constant(1)); }

TEST(Optimizer, CopiesShare) {
  Parameters params;
  const Parameter p = ones(params, "p");
  SGD sgd(params, {.lr = 0.5f});
  Optimizer copy = sgd;
  Optimizer moved = std::move(copy);
  copy.set_lr(0.25f);  // a moved-from handle stays valid
  EXPECT_EQ(sgd.lr(), 0.25f);
  moved.step(Given().dense(p, {1}).get());
  EXPECT_EQ(p.value().item(), 0.75f);
  EXPECT_EQ(sgd.state().steps(), 1u);
}

TEST(Optimizer, UpdatesParametersMadeAfterItAndAfterAMove) {
  std::optional<Parameters> params(std::in_place);
  SGD opt(*params, {.lr = 1});
  const Parameter early = ones(*params, "early");
  Parameters moved = std::move(*params);
  params.reset();
  const Parameter late = ones(moved, "late");
  opt.step(Given().dense(early, {0.5f}).dense(late, {0.25f}).get());
  EXPECT_EQ(early.value().item(), 0.5f);
  EXPECT_EQ(late.value().item(), 0.75f);
}

TEST(Optimizer, LeavesTheParametersOfOthersAlone) {
  Parameters generator, critic;
  const Parameter g = ones(generator, "weight"), c = ones(critic, "weight"), late = ones(critic, "late");
  SGD opt(generator, {.lr = 1, .clip_norm = 0.5f});
  opt.step(Given().dense(g, {0.5f}).dense(c, {100}).dense(late, {100}).get());
  EXPECT_EQ(g.value().item(), 0.5f);  // the clipped norm excludes foreign gradients
  EXPECT_EQ(c.value().item(), 1);
  EXPECT_EQ(late.value().item(), 1);
}

TEST(Optimizer, GoesOnWhenTheParametersAreGone) {
  std::optional<Parameters> params(std::in_place);
  Parameters others;
  const Parameter p = ones(*params, "p"), foreign = ones(others, "p");
  SGD opt(*params, {.lr = 1});
  params.reset();
  opt.step(Given().dense(foreign, {0.5f}).dense(p, {0.5f}).get());
  EXPECT_EQ(p.value().item(), 0.5f);
  EXPECT_EQ(foreign.value().item(), 1);
}

TEST(Optimizer, HoldsNoParameterAlive) {
  std::optional<Parameters> params(std::in_place);
  SGD opt(*params, {.lr = 1, .momentum = 0.5f});
  std::weak_ptr<detail::ParameterStorage> storage;
  {
    const Parameter p = ones(*params, "p");
    opt.step(Given().dense(p, {1}).get());
    storage = p.storage();
  }
  EXPECT_FALSE(storage.expired()) << "its Parameters have it";
  params.reset();
  EXPECT_TRUE(storage.expired());
}

TEST(Optimizer, FrozenParametersRest) {
  Parameters params;
  Parameter p = ones(params, "p");
  const Parameter q = ones(params, "q");
  SGD opt(params, {.lr = 1, .weight_decay = 0.5f, .clip_norm = 1});
  p.freeze();
  opt.step(Given().dense(p, {1000}).dense(q, {0.5f}).get());
  EXPECT_EQ(p.value().item(), 1);
  EXPECT_EQ(q.value().item(), 0);
  p.freeze(false);
  opt.step(Given().dense(p, {0.25f}).get());
  EXPECT_EQ(p.value().item(), 0.25f);
}

TEST(Optimizer, ClippingLeavesTheGradientsAsTheyAre) {
  Parameters params;
  const Parameter p = ones(params, "p", 2);
  const Lookup t = Scope(params).add_lookup("t", 5, {1}, init::constant(1));
  SGD opt(params, {.lr = 1, .clip_norm = 1});
  const Gradients gradients = Given().dense(p, {2, 4}).rows(t, {3}, {4}).get();  // norm 6
  opt.step(gradients);
  EXPECT_EQ(gradients.of(p).to_vector(), (std::vector<float>{2, 4}));
  EXPECT_EQ(gradients.norm(), 6);
  EXPECT_FLOAT_EQ(p.value()[0], 1 - 2.f / 6);
  EXPECT_FLOAT_EQ(p.value()[1], 1 - 4.f / 6);
  EXPECT_EQ(t.value()[2], 1);
  EXPECT_FLOAT_EQ(t.value()[3], 1 - 4.f / 6);
}

TEST(Optimizer, TheLastGroupThatMatchesCounts) {
  Parameters params;
  const Parameter a = ones(Scope(params) / "words", "weight"), b = ones(Scope(params) / "out", "weight");
  SGD opt(params, {.lr = 1, .weight_decay = 0.25f});
  opt.group("*", 0.5f);
  opt.group("w*.w?ight", 0, 8);
  const Parameter late = ones(Scope(params) / "words", "bias");
  opt.group("words.bias", 2, 0);
  opt.step(Given().dense(a, {1}).dense(b, {1}).dense(late, {1}).get());
  EXPECT_EQ(a.value().item(), 1);
  EXPECT_EQ(b.value().item(), 1 - 0.5f * 1.25f);  // uses the decay of the options
  EXPECT_EQ(late.value().item(), -1);
}

TEST(Optimizer, GlobsMatchWholeNames) {
  Parameters params;
  const char* names[] = {"a", "ab", "b", "a.b", "xa"};
  const char* globs[] = {"a", "a*", "*b", "a?b", "*a*", "**", "", "?"};
  std::vector<Parameter> all;
  for (const char* name : names) all.push_back(ones(params, name));
  for (const char* glob : globs) {
    SGD opt(params, {.lr = 1});
    opt.group(glob, 0);
    Given given;
    for (Parameter& p : all) {
      p.assign({{1}, {1}});
      given.dense(p, {1});
    }
    opt.step(given.get());
    const std::vector<Parameter> matching = params.all(glob);
    for (const Parameter& p : all) {
      const bool matches =
          std::any_of(matching.begin(), matching.end(), [&](const Parameter& m) { return m.name() == p.name(); });
      EXPECT_EQ(p.value().item() == 1, matches) << glob << " " << p.name();
    }
  }
}

TEST(Optimizer, AParameterWithoutGradientRests) {
  Parameters params;
  const Parameter p = ones(params, "p"), q = ones(params, "q");
  SGD opt(params, {.lr = 1, .momentum = 0.5f, .weight_decay = 0.5f});
  opt.step(Given().dense(p, {0.5f}).get());
  EXPECT_EQ(p.value().item(), 0);
  opt.step(Given().dense(q, {0.5f}).get());
  EXPECT_EQ(p.value().item(), 0);
  EXPECT_EQ(q.value().item(), 0);
}

TEST(Optimizer, EmptyParametersAndGradients) {
  Parameters params;
  const Parameter none = Scope(params).add("none", {0, 3}, init::constant(0));
  Adam opt(params, {.clip_norm = 1});
  opt.step(Given().dense(none, {}).get());
  opt.step(Given().get());
  EXPECT_EQ(opt.state().steps(), 2u);
}

TEST(Optimizer, FollowsAScheduleUntilARateIsSet) {
  Parameters params;
  const Parameter p = ones(params, "p");
  SGD opt(params, {.lr = 9});
  opt.set_schedule([](uint64_t step) { return step == 3 ? -1.f : 1.f / float(1 << step); });
  const auto step = [&] {
    opt.step(Given().dense(p, {1}).get());
    return p.value().item();
  };
  EXPECT_EQ(step(), 0);
  EXPECT_EQ(step(), -0.5f);
  EXPECT_EQ(step(), -0.75f);
  EXPECT_EQ(opt.lr(), 0.25f);
  EXPECT_THROW(step(), Error);  // and nothing has changed
  EXPECT_EQ(p.value().item(), -0.75f);
  EXPECT_EQ(opt.steps(), 3u);
  EXPECT_EQ(opt.lr(), 0.25f);
  opt.set_lr(2);
  EXPECT_EQ(step(), -2.75f);
}

TEST(Optimizer, CyclicalSgdIsSgdWithATriangle) {
  Parameters params;
  const Parameter p = ones(params, "p");
  CyclicalSGD opt(params, {.base_lr = 1, .max_lr = 3, .step_size = 2, .gamma = 0.5f});
  std::vector<float> rates;
  for (int step = 0; step < 7; ++step) {
    opt.step(Given().dense(p, {0}).get());
    rates.push_back(opt.lr());
  }
  // base + (max - base) · height · gammaᵗ, heights 0 ½ 1 ½ 0 ½ 1
  EXPECT_EQ(rates, (std::vector<float>{1, 1.5f, 1.5f, 1.125f, 1, 1.03125f, 1.03125f}));
}

using test::error_of;

TEST(OptimizerErrors, NameTheOptionAndWhatIsNeeded) {
  Parameters params;
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(error_of([&] { SGD(params, {.lr = -1}); }), "sgd: lr is -1; it must be finite and at least 0");
  EXPECT_EQ(error_of([&] { SGD(params, {.momentum = 1}); }), "sgd: momentum is 1; it must be at least 0 and below 1");
  EXPECT_EQ(error_of([&] { SGD(params, {.nesterov = true}); }),
            "sgd: nesterov is given without momentum; it needs momentum > 0");
  EXPECT_EQ(error_of([&] { Adam(params, {.lr = nan}); }), "adam: lr is nan; it must be finite and at least 0");
  EXPECT_EQ(error_of([&] { Adam(params, {.beta2 = 1}); }), "adam: beta2 is 1; it must be at least 0 and below 1");
  EXPECT_EQ(error_of([&] { AdamW(params, {.beta1 = -0.5f}); }),
            "adamw: beta1 is -0.5; it must be at least 0 and below 1");
  EXPECT_EQ(error_of([&] { AdamW(params, {.eps = 0}); }), "adamw: eps is 0; it must be above 0");
  EXPECT_EQ(error_of([&] { Adam(params, {.weight_decay = -1}); }),
            "adam: weight_decay is -1; it must be finite and at least 0");
  EXPECT_EQ(error_of([&] { Adam(params, {.clip_norm = inf}); }),
            "adam: clip_norm is inf; it must be finite and at least 0");
  EXPECT_EQ(error_of([&] { Adagrad(params, {.lr_decay = -1}); }),
            "adagrad: lr_decay is -1; it must be finite and at least 0");
  EXPECT_EQ(error_of([&] { Adagrad(params, {.initial_accumulator_value = -1}); }),
            "adagrad: initial_accumulator_value is -1; it must be finite and at least 0");
  EXPECT_EQ(error_of([&] { Adagrad(params, {.eps = 0}); }), "adagrad: eps is 0; it must be above 0");
  EXPECT_EQ(error_of([&] { Adadelta(params, {.rho = 1}); }), "adadelta: rho is 1; it must be at least 0 and below 1");
  EXPECT_EQ(error_of([&] { Adadelta(params, {.eps = -1e-6f}); }), "adadelta: eps is -1e-06; it must be above 0");
  EXPECT_EQ(error_of([&] { RMSprop(params, {.alpha = nan}); }),
            "rmsprop: alpha is nan; it must be at least 0 and below 1");
  EXPECT_EQ(error_of([&] { RMSprop(params, {.eps = 0}); }), "rmsprop: eps is 0; it must be above 0");
  EXPECT_EQ(error_of([&] { RMSprop(params, {.momentum = 1}); }),
            "rmsprop: momentum is 1; it must be at least 0 and below 1");
  EXPECT_EQ(error_of([&] { CyclicalSGD(params, {.max_lr = -1}); }),
            "CyclicLR: max_lr is -1; it must be finite and at least 0");
  SGD opt(params);
  EXPECT_EQ(error_of([&] { opt.set_lr(nan); }), "set_lr: lr is nan; it must be finite and at least 0");
  EXPECT_EQ(error_of([&] { opt.group("w*", -1); }), "group 'w*': lr_factor is -1; it must be finite and at least 0");
  EXPECT_EQ(error_of([&] { opt.group("w*", 1, -1); }),
            "group 'w*': weight_decay is -1; it must be finite and at least 0");
  EXPECT_EQ(opt.lr(), 0.1f);
  opt.set_schedule([&](uint64_t) { return nan; });
  EXPECT_EQ(error_of([&] { opt.step(Given().get()); }),
            "step: lr of the schedule at 0 is nan; it must be finite and at least 0");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::optim
