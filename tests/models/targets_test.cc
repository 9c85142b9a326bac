// Targets: classes and numbers, missing values, weights, metrics and answers.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/error_of.h"
#include "task/settings.h"
#include "task/targets/targets.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Targets, app::TargetValues, app::Json;
using Floats = std::vector<float>;

// Sets settings as flags would.
class Setting : public app::Fields {
 public:
  Setting(std::string name, std::string value) : name_(std::move(name)), value_(std::move(value)) {}
  void add(const std::string&, int&, int, const std::string&) override {}
  void add(const std::string&, uint64_t&, const std::string&) override {}
  void add(const std::string&, double&, Range, const std::string&) override {}
  void add(const std::string&, bool&, const std::string&) override {}
  void add(const std::string& name, std::string& value, const std::vector<std::string>&, const std::string&) override {
    if (name == name_) value = value_;
  }

 private:
  std::string name_, value_;
};
void set(Targets& targets, const std::string& name, const std::string& value) {
  Setting setting(name, value);
  targets.add_to(setting);
}

std::vector<TargetValues> examples(const std::vector<std::vector<std::string>>& texts) {
  std::vector<TargetValues> all;
  for (size_t i = 0; i < texts.size(); ++i) all.push_back({texts[i], "t.csv:" + std::to_string(i + 2) + ":1: "});
  return all;
}
void learn(Targets& targets, std::vector<TargetValues>& train) {
  std::vector<const TargetValues*> all;
  for (const TargetValues& t : train) all.push_back(&t);
  targets.learn(all);
  for (TargetValues& t : train) targets.encode(t);
}

double loss_of(const Targets& targets, const std::vector<float>& row, const TargetValues& target) {
  Engine engine;
  Graph g = engine.graph();
  return engine.value(*targets.loss(g, input(g, row, {static_cast<int>(row.size())}), target));
}

TEST(Targets, ClassesAreSortedAndNumbersAreNormalised) {
  Targets targets(Targets::Naming::none);
  auto train = examples({{"10"}, {"9.0"}, {" 9 "}, {"b"}, {"a"}, {""}});  // 9.0 is 9
  learn(targets, train);
  EXPECT_EQ(targets.labels(), (std::vector<std::string>{"9", "10", "a", "b"}));
  EXPECT_EQ(train[1].values, train[2].values);
  EXPECT_TRUE(std::isnan(train[5].values[0]));
  EXPECT_EQ(targets.row_size(), 4);
  EXPECT_EQ(targets.summary(), std::vector<std::string>{"4 classes: 9: 2, 10: 1, a: 1, b: 1; 1 missing"});
  TargetValues unknown{{"c"}, "dev.csv:7:3: "};
  EXPECT_EQ(test::error_of([&] { targets.encode(unknown); }),
            "dev.csv:7:3: the class 'c' does not occur in the training examples; the nearest of their 4 classes: '9', "
            "'10', 'a', 'b'");
  EXPECT_NEAR(loss_of(targets, {1, 2, 3, 4}, train[3]), std::log(1 + std::exp(-1) + std::exp(-2) + std::exp(-3)), 1e-5);
  EXPECT_EQ(targets.answer(Floats{0, 9, 0, 0})["label"], "10");
}

TEST(Targets, TwoClassesHaveOneLogit) {
  Targets targets(Targets::Naming::none);
  auto train = examples({{"yes"}, {"no"}, {"no"}, {"no"}});
  learn(targets, train);
  EXPECT_EQ(targets.row_size(), 1);
  EXPECT_NEAR(loss_of(targets, {1.5f}, train[0]), std::log(1 + std::exp(-1.5)), 1e-6);
  EXPECT_NEAR(loss_of(targets, {1.5f}, train[1]), std::log(1 + std::exp(1.5)), 1e-6);
  const Json answer = targets.answer(Floats{1.5f});
  EXPECT_EQ(answer["label"], "yes");
  EXPECT_NEAR(answer["probabilities"]["yes"].get<double>(), 1 / (1 + std::exp(-1.5)), 1e-6);
  EXPECT_NEAR(answer["probabilities"]["no"].get<double>(), 1 / (1 + std::exp(1.5)), 1e-6);
}

TEST(Targets, BalancedWeightsGiveEveryClassTheSameShareOfTheLoss) {
  for (const std::string third : {"no", "maybe"}) {  // two classes, three classes
    Targets targets(Targets::Naming::none);
    set(targets, "class-weights", "balanced");
    auto train = examples({{"yes"}, {"no"}, {"no"}, {"no"}, {"no"}, {third}});
    learn(targets, train);
    const std::vector<float> even(static_cast<size_t>(targets.row_size()));
    double yes = loss_of(targets, even, train[0]), no = 0;
    for (size_t i = 1; i < 6; ++i)
      if (train[i].texts[0] == "no") no += loss_of(targets, even, train[i]);
    EXPECT_NEAR(yes, no, 1e-5) << third;
  }
}

TEST(Targets, AMissingNumberHasNoLoss) {
  Targets targets(Targets::Naming::name);
  targets.kind = "regression";
  targets.set_names({"a", "b"});
  auto train = examples({{"1", "10"}, {"3", ""}, {"NA", "30"}, {"nan", "NaN"}});
  learn(targets, train);
  // a: mean 2, deviation 1; b: mean 20, deviation 10
  EXPECT_NEAR(loss_of(targets, {0, 0}, train[0]), 2, 1e-6);
  EXPECT_NEAR(loss_of(targets, {0, 5}, train[1]), 1, 1e-6);
  EXPECT_NEAR(loss_of(targets, {7, 0}, train[2]), 1, 1e-6);
  Engine engine;
  Graph g = engine.graph();
  EXPECT_FALSE(targets.loss(g, zeros(g, {2}), train[3])) << "no target, no loss";
  EXPECT_EQ(targets.answer(Floats{1, -1}).dump(), R"({"a":3.0,"b":10.0})");
  EXPECT_EQ(targets.summary()[0], "target 'a': mean 2, standard deviation 1, from 1 to 3; 2 missing");
}

TEST(Targets, SeveralKindsOfClassesShareARow) {
  Targets targets(Targets::Naming::name);
  targets.set_names({"flag", "colour"});
  auto train = examples({{"0", "red"}, {"1", "green"}, {"", "blue"}});
  learn(targets, train);
  EXPECT_EQ(targets.row_size(), 4);  // one logit, three scores
  const std::vector<float> row{2, 0, 0, 1};
  EXPECT_NEAR(loss_of(targets, row, train[2]), std::log(2 + std::exp(1)), 1e-5) << "blue has index 0";
  EXPECT_NEAR(loss_of(targets, row, train[1]), std::log(1 + std::exp(-2)) + std::log(2 + std::exp(1)), 1e-5);
  const Json answer = targets.answer(row);
  EXPECT_NEAR(answer["flag"].get<double>(), 1 / (1 + std::exp(-2)), 1e-6);
  EXPECT_EQ(answer["colour"]["label"], "red");
}

TEST(Targets, ScoresOfClasses) {
  Targets targets(Targets::Naming::none, "auc");
  auto train = examples({{"0"}, {"1"}, {"0"}, {"1"}, {""}});
  learn(targets, train);
  Targets::Scores scores(targets);
  const std::vector<std::vector<float>> rows{{-1}, {-0.5f}, {-0.7f}, {2}, {9}};
  for (size_t i = 0; i < rows.size(); ++i) scores.add(train[i], rows[i]);
  const app::Evaluation e = scores.evaluation();
  const app::NamedScores expected{{"auc", 1}, {"accuracy", 0.75}, {"macro F1", (0.8 + 2. / 3) / 2}};
  ASSERT_EQ(e.scores.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(e.scores[i].first, expected[i].first);
    EXPECT_NEAR(e.scores[i].second, expected[i].second, 1e-9);
  }
  EXPECT_EQ(e.confusion, (std::vector<std::vector<uint64_t>>{{2, 0}, {1, 1}}));
}

TEST(Targets, ScoresOfNumbersAndMeansOverTargets) {
  Targets targets(Targets::Naming::name);
  targets.kind = "regression";
  targets.set_names({"a", "b"});
  auto train = examples({{"-1", "5"}, {"1", "7"}});  // a: mean 0, b: mean 6; deviations 1
  learn(targets, train);
  Targets::Scores scores(targets);
  scores.add(train[0], Floats{-1, -1});
  scores.add(train[1], Floats{3, -1});
  const Json found = app::scores_json(scores.evaluation());
  EXPECT_NEAR(found["rmse"].get<double>(), (std::sqrt(2) + std::sqrt(2)) / 2, 1e-6);
  EXPECT_NEAR(found["mean absolute error"].get<double>(), 1, 1e-6);
  EXPECT_NEAR(found["R2"].get<double>(), -1, 1e-6);
  EXPECT_NEAR(found["rmse by target"]["b"].get<double>(), std::sqrt(2), 1e-6);
}

TEST(Targets, RefusesWhatDoesNotFit) {
  const auto error = [](const std::string& kind, const std::string& metric,
                        const std::vector<std::vector<std::string>>& texts) {
    Targets targets(Targets::Naming::name);
    targets.kind = kind;
    targets.set_names({"t"});
    set(targets, "kind", kind);
    set(targets, "metric", metric);
    auto train = examples(texts);
    return test::error_of([&] { learn(targets, train); });
  };
  EXPECT_EQ(error("classification", "auto", {{"a"}, {"a"}}),
            "target 't': the training examples have the single class 'a'; a classifier needs at least two classes");
  EXPECT_EQ(error("classification", "auto", {{""}}),
            "target 't': the training examples have no class; a classifier needs at least two classes");
  EXPECT_EQ(error("regression", "auto", {{"1"}, {"two"}}),
            "t.csv:3:1: target 't': 'two' is not a number; regression needs numbers, or --kind classification");
  EXPECT_EQ(error("regression", "auto", {{"1e99"}}),
            "t.csv:2:1: target 't': '1e99' is not a number; regression needs numbers, or --kind classification");
  EXPECT_EQ(error("regression", "auto", {{""}}), "target 't': the training examples have no value");
  EXPECT_EQ(error("regression", "auc", {{"1"}}),
            "--metric auc does not fit --kind regression; must be rmse, mae or r2");
  EXPECT_EQ(error("classification", "rmse", {{"1"}, {"2"}}),
            "--metric rmse does not fit --kind classification; must be accuracy, f1 or auc");
  EXPECT_EQ(error("classification", "auc", {{"1"}, {"2"}, {"3"}}),
            "--metric auc needs two classes; target 't': there are 3");
  std::vector<std::vector<std::string>> many;
  for (int i = 0; i < 1001; ++i) many.push_back({"c" + std::to_string(i)});
  EXPECT_EQ(error("classification", "auto", many), "target 't': 1001 classes; at most 1000 are allowed");
  for (auto& row : many) row[0].erase(0, 1);
  EXPECT_EQ(error("classification", "auto", many),
            "target 't': 1001 different numbers in 1001 training examples; numbers need --kind regression");
  EXPECT_EQ(error("classification", "auto", {{"a"}, {"\xff"}}), "t.csv:3:1: target 't': the class is not valid UTF-8");
  Targets named(Targets::Naming::name);
  EXPECT_EQ(test::error_of([&] { named.set_names({"a", "line"}); }),
            "a target cannot be named 'line': answers use this name; rename the column or field");
}

TEST(Targets, LabelsThatLookLikeNumbersStayApart) {
  Targets targets(Targets::Naming::none);
  auto train = examples({{"007"}, {"7"}, {"+7"}, {"7e0"}, {"7.00"}, {"-7.0"}, {"0.50"}});
  learn(targets, train);
  EXPECT_EQ(targets.labels(), (std::vector<std::string>{"-7", "0.50", "+7", "007", "7", "7e0"}));
}

TEST(Targets, AClassOfDevAloneIsKnown) {
  Targets targets(Targets::Naming::none);
  auto train = examples({{"a"}, {"b"}}), dev = examples({{"c"}});
  targets.learn({&train[0], &train[1]}, {&dev[0]});
  EXPECT_EQ(targets.labels(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(targets.summary(), std::vector<std::string>{"3 classes: a: 1, b: 1, c: 0"});
}

TEST(Targets, AnAucThatDevDoesNotHaveBecomesAccuracy) {
  for (const std::string metric : {"auto", "auc"}) {
    Targets targets(Targets::Naming::none, "auc");
    set(targets, "metric", metric);
    auto train = examples({{"0"}, {"1"}}), dev = examples({{"1"}, {"1"}});
    learn(targets, train);
    Targets::Scores scores(targets);
    for (TargetValues& t : dev) {
      targets.encode(t);
      scores.add(t, Floats{0});
    }
    if (metric == "auc") {
      EXPECT_EQ(test::error_of([&] { targets.check_metric(scores); }),
                "--metric auc needs dev examples of both classes of a target; there are none; choose another metric, "
                "another --seed, or give --dev FILE");
      continue;
    }
    EXPECT_EQ(targets.metric().name, "auc");
    targets.check_metric(scores);
    EXPECT_EQ(targets.metric().name, "accuracy");
    EXPECT_EQ(targets.summary().back(), "dev has only one class of each target: the metric is accuracy, not auc");
  }
}

TEST(Targets, ASavedTargetAnswersAsBefore) {
  Targets targets(Targets::Naming::name);
  targets.set_names({"flag", "colour"});
  auto train = examples({{"0", "red"}, {"1", "green"}, {"", "blue"}});
  learn(targets, train);
  io::Meta meta;
  targets.save(meta);
  Targets loaded(Targets::Naming::name);
  loaded.restore(meta);
  EXPECT_EQ(loaded.answer(Floats{1, 2, 3, 4}), targets.answer(Floats{1, 2, 3, 4}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
