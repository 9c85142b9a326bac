// Targets: metrics.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "task/targets/targets.h"
#include "tasks/metrics/roc_auc.h"

namespace espalier::app {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

double mean_of(const std::vector<float>& values) {
  train::Mean mean;
  for (const float x : values) mean.add(x);
  return mean.get();
}

}  // namespace

std::string Targets::metric_name() const {
  if (metric_ != "auto") return metric_;
  if (is_regression()) return "rmse";
  return std::ranges::all_of(targets_, &Target::is_binary) ? two_class_metric_ : "accuracy";
}

Metric Targets::metric() const {
  static const std::map<std::string, Metric> of_numbers{
      {"rmse", {"rmse", false}}, {"mae", {"mean absolute error", false}}, {"r2", {"R2", true}}};
  static const std::map<std::string, Metric> of_classes{
      {"accuracy", {"accuracy", true}}, {"f1", {"macro F1", true}}, {"auc", {"auc", true}}};
  const std::string name = metric_name();
  const auto& fitting = is_regression() ? of_numbers : of_classes;
  const auto found = fitting.find(name);
  if (found == fitting.end())
    throw Error(fmt::format("--metric {} does not fit --kind {}; must be {}", name, kind,
                            is_regression() ? "rmse, mae or r2" : "accuracy, f1 or auc"));
  for (size_t t = 0; name == "auc" && t < targets_.size(); ++t)
    if (!targets_[t].is_binary())
      throw Error(fmt::format("--metric auc needs two classes; {}there are {}", prefix(t), targets_[t].labels.size()));
  return found->second;
}

bool Targets::Scores::has_both_classes() const {
  return std::ranges::any_of(of_, [](const Pairs& pairs) {
    return std::ranges::count(pairs.gold, 0.f) > 0 && std::ranges::count(pairs.gold, 1.f) > 0;
  });
}

void Targets::check_metric(const Scores& dev) {
  if (metric_name() != "auc" || dev.has_both_classes()) return;
  if (metric_ != "auto")
    throw DataError(
        "--metric auc needs dev examples of both classes of a target; there are none; choose another metric, "
        "another --seed, or give --dev FILE");
  metric_ = "accuracy";
  summary_.push_back("dev has only one class of each target: the metric is accuracy, not auc");
}

void Targets::Scores::add(const TargetValues& target, std::span<const float> row) {
  const float* outputs = row.data();
  for (size_t t = 0; t < of_.size(); outputs += targets_.targets_[t].outputs(), ++t) {
    if (std::isnan(target.values[t])) continue;
    const Target& how = targets_.targets_[t];
    of_[t].gold.push_back(target.values[t]);
    of_[t].found.push_back(how.is_number() ? outputs[0] * how.spread + how.mean
                           : how.is_binary()
                               ? outputs[0]
                               : static_cast<float>(std::max_element(outputs, outputs + how.outputs()) - outputs));
  }
}

NamedScores Targets::Scores::numbers(const Pairs& pairs) const {
  train::Mean square, absolute, variance;
  const double mean = mean_of(pairs.gold);
  for (size_t i = 0; i < pairs.gold.size(); ++i) {
    const double error = pairs.found[i] - pairs.gold[i], off = pairs.gold[i] - mean;
    square.add(error * error);
    absolute.add(std::abs(error));
    variance.add(off * off);
  }
  return {{"rmse", std::sqrt(square.get())},
          {"mean absolute error", absolute.get()},
          {"R2", 1 - square.get() / variance.get()}};
}

std::vector<std::vector<uint64_t>> Targets::Scores::confusion(size_t target) const {
  const Pairs& pairs = of_[target];
  const Target& how = targets_.targets_[target];
  Confusion confusion(how.labels.size());
  for (size_t i = 0; i < pairs.gold.size(); ++i)
    confusion.add(static_cast<int>(pairs.gold[i]),
                  how.is_binary() ? pairs.found[i] > 0 : static_cast<int>(pairs.found[i]));
  return confusion.counts();
}

NamedScores Targets::Scores::classes(size_t target) const {
  const Pairs& pairs = of_[target];
  const auto counts = confusion(target);
  train::Mean right, f1;
  for (size_t c = 0; c < counts.size(); ++c) {
    uint64_t gold = 0, found = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      gold += counts[c][i];
      found += counts[i][c];
    }
    const auto hits = static_cast<double>(counts[c][c]);
    if (gold + found > 0) f1.add(2 * hits / static_cast<double>(gold + found));
    if (gold > 0) right.add(hits / static_cast<double>(gold), static_cast<double>(gold));
  }
  NamedScores scores{{"accuracy", right.get()}, {"macro F1", f1.get()}};
  if (!targets_.targets_[target].is_binary()) return scores;
  std::vector<std::pair<float, bool>> scored;
  for (size_t i = 0; i < pairs.gold.size(); ++i) scored.emplace_back(pairs.found[i], pairs.gold[i] > 0.5f);
  scores.emplace_back("auc", roc_auc(scored).value_or(undefined));
  return scores;
}

NamedScores Targets::Scores::scores_of(size_t target) const {
  return targets_.targets_[target].is_number() ? numbers(of_[target]) : classes(target);
}

Evaluation Targets::Scores::evaluation() const {
  const std::string metric = targets_.metric().name;
  std::vector<std::string> names;  // in display order
  std::map<std::string, train::Mean> means;
  Breakdown by_target{metric + " by target", {}};
  for (size_t t = 0; t < of_.size(); ++t) {
    if (of_[t].gold.empty()) continue;
    for (const auto& [name, value] : scores_of(t)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      if (std::isnan(value)) continue;  // the AUC of a target with one class among these examples
      means[name].add(value);
      if (name == metric) by_target.scores.emplace_back(targets_.names_[t], value);
    }
  }
  const auto first = std::ranges::find(names, metric);
  if (first != names.end()) std::rotate(names.begin(), first, first + 1);
  Evaluation e;
  for (const std::string& name : names) e.scores.emplace_back(name, means[name].get());
  if (e.scores.empty()) e.scores.emplace_back(metric, undefined);
  e.unit = targets_.unit;
  if (of_.size() > 1) {
    e.breakdowns.push_back(std::move(by_target));
  } else if (targets_.is_regression()) {
    e.gold = of_[0].gold;
    e.predicted = of_[0].found;
  } else {
    e.labels = targets_.targets_[0].labels;
    e.confusion = confusion(0);
  }
  return e;
}

}  // namespace espalier::app
