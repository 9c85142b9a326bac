// Every update rule against the textbook, over many steps, with dense parameters and tables with rare rows.
#include <gtest/gtest.h>

#include "exec/targets.h"
#include "optim/cases.h"

namespace espalier::optim {
namespace ESPALIER_FILE {

// |a - b| is within the float rounding error of several hundred steps.
void expect_near(const Textbook& textbook, const std::vector<Parameter>& all, int step) {
  for (const Parameter& p : all) {
    const std::vector<float> got = p.value().to_vector();
    const std::vector<double>& want = textbook.kept.at(p.name()).p;
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(double(got[i]), want[i], 2e-5 * (1 + std::abs(want[i]))) << p.name() << " " << i << " step " << step;
  }
}

class Rules : public testing::TestWithParam<Case> {};

TEST_P(Rules, FollowTheTextbook) {
  Parameters params(3);
  Scope scope = params;
  const std::vector<Parameter> all = {
      scope.add("weight", {7, 5}),
      scope.add("bias", {3}, init::constant(0.5f)),
      scope.add("scale", {}),
      scope.add("long", {1003}),
      scope.add_lookup("words", 50, {19}),
      scope.add_lookup("tags", 9, {2, 2}),
      scope.add_lookup("prior", 30, {}),
  };
  Textbook textbook = GetParam().textbook;
  for (const Parameter& p : all) textbook.add(p);
  Optimizer opt = optimizer(params, textbook);
  Chance chance(11);
  for (int step = 1; step <= 300; ++step) {
    Given given;
    for (const Parameter& p : all)
      if (p.name() != "bias" || step % 3 == 0)
        chance.give(given, p);  // the bias has a gradient only in every third step
    textbook.step(given.state());
    opt.step(given.get());
    if (step > 10 && step % 50 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(expect_near(textbook, all, step));
  }
}

TEST_P(Rules, FollowTheTextbookInGroupsWithFrozenParameters) {
  Parameters params(4);
  Scope scope = params;
  const std::vector<Parameter> all = {(scope / "out").add("weight", {4, 6}), (scope / "out").add("bias", {4}),
                                      (scope / "words").add_lookup("weight", 12, {5}),
                                      (scope / "stem").add("weight", {9})};
  Textbook textbook = GetParam().textbook;
  textbook.factor = {{"words.weight", 0.1}, {"out.bias", 2}};
  textbook.own_decay = {{"out.bias", 0}};
  for (const Parameter& p : all) textbook.add(p);
  Optimizer opt = optimizer(params, textbook);
  opt.group("words.*", 0.1f);
  opt.group("out.bias", 2, 0);
  Chance chance(12);
  for (int step = 1; step <= 200; ++step) {
    params["stem.weight"].freeze(step > 20 && step < 60);
    Given given;
    for (const Parameter& p : all) chance.give(given, p);
    textbook.step(given.state());
    opt.step(given.get());
    ASSERT_NO_FATAL_FAILURE(expect_near(textbook, all, step));
    if (step == 50) {
      textbook.lr *= 0.5;
      opt.set_lr(opt.lr() * 0.5f);
    }
  }
}

TEST_P(Rules, FollowTheTextbookOnEveryInstructionSet) {
  for_each_target([] {
    Parameters params(3);
    const std::vector<Parameter> all = {Scope(params).add("long", {83}), Scope(params).add_lookup("words", 20, {19})};
    Textbook textbook = GetParam().textbook;
    for (const Parameter& p : all) textbook.add(p);
    Optimizer opt = optimizer(params, textbook);
    Chance chance(13);
    for (int step = 1; step <= 40; ++step) {
      Given given;
      for (const Parameter& p : all) chance.give(given, p);
      textbook.step(given.state());
      opt.step(given.get());
    }
    expect_near(textbook, all, 40);
  });
}

TEST_P(Rules, GiveTheSameBitsWhereverAnElementLies) {
  // 40 equal elements with equal gradients stay equal: the tail of the vector loop computes the same.
  Parameters params;
  const Parameter p = Scope(params).add("p", {39}, init::constant(0.7f));
  Optimizer opt = optimizer(params, GetParam().textbook);
  for (int step = 0; step < 20; ++step) opt.step(Given().dense(p, std::vector<float>(39, 0.3f + float(step))).get());
  const std::vector<float> values = p.value().to_vector();
  EXPECT_NE(values[0], 0.7f);
  for (const float v : values) EXPECT_EQ(v, values[0]);
}

INSTANTIATE_TEST_SUITE_P(All, Rules, testing::ValuesIn(cases), [](const auto& chosen) { return chosen.param.name; });

// The same gradients, sparse and as dense with zeros in the other rows.
template <class Rule, class Options>
void expect_dense_rule(Options options) {
  Parameters params(1), dense_params(1);
  const Lookup table = Scope(params).add_lookup("t", 8, {3}), dense = Scope(dense_params).add_lookup("t", 8, {3});
  Rule opt(params, options), dense_opt(dense_params, options);
  Chance chance(5);
  for (int step = 0; step < 50; ++step) {
    Given given;
    chance.give(given, table);
    const detail::GradientEntry& e = given.state().entries[0];
    std::vector<float> all(24);
    for (size_t i = 0; i < e.values.size(); ++i)
      all[static_cast<size_t>(e.rows.host()[i / 3]) * 3 + i % 3] = e.values.host()[i];
    opt.step(given.get());
    dense_opt.step(Given().dense(dense, all).get());
  }
  EXPECT_EQ(table.value().to_vector(), dense.value().to_vector());
}

TEST(LazyRule, IsTheDenseRuleExactlyForSgdAndAdagrad) {
  expect_dense_rule<SGD>(SGDOptions{});
  expect_dense_rule<Adagrad>(AdagradOptions{.lr = 0.1f, .lr_decay = 0.01f});
}

// The late first step that optimizer.h describes for Adam: m = (1 - beta1) g, √v = √(1 - beta2) |g|, and both bias
// corrections are 1 by then.
TEST(LazyRule, ARowThatComesLateTakesALargerFirstStepInAdam) {
  Parameters params(1);
  const Lookup table = Scope(params).add_lookup("t", 2, {1}, init::constant(0));
  Adam opt(params, {.lr = 0.1f, .beta2 = 0.99f});
  for (int step = 0; step < 2000; ++step) opt.step(Given().rows(table, {0}, {1}).get());
  opt.step(Given().rows(table, {1}, {1}).get());
  EXPECT_NEAR(table.value()[1], -0.1f * 0.1f / std::sqrt(0.01f), 1e-6);
}

TEST(LazyRule, RowsThatDoNotOccurRest) {
  Parameters params(1);
  const Lookup table = Scope(params).add_lookup("t", 4, {2});
  Adam opt(params, {.lr = 0.1f, .weight_decay = 0.5f});
  const std::vector<float> before = table.value().to_vector();
  for (int step = 0; step < 5; ++step) opt.step(Given().rows(table, {2}, {1, -1}).get());
  const std::vector<float> after = table.value().to_vector();
  for (size_t i : {0u, 1u, 2u, 3u, 6u, 7u}) EXPECT_EQ(after[i], before[i]);
  EXPECT_LT(after[4], before[4]);
  EXPECT_GT(after[5], before[5]);
}

TEST(LazyRule, ATableThatBecomesDenseKeepsItsMoments) {
  Parameters params(1);
  const Lookup table = Scope(params).add_lookup("t", 3, {1}, init::constant(1));
  SGD opt(params, {.lr = 1, .momentum = 0.5f});
  opt.step(Given().rows(table, {1}, {1}).get());  // b = 0 1 0, p = 1 0 1
  table.storage()->dense = true;
  opt.step(Given().dense(table, {1, 0, 0}).get());  // b = 1 0.5 0, p = 0 -0.5 1
  EXPECT_EQ(table.value().to_vector(), (std::vector<float>{0, -0.5f, 1}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::optim
