// Targets: settings, what is learned from the training examples, checkpoints.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/nearest_names.h"
#include "task/targets/label_text.h"
#include "task/targets/targets.h"

namespace espalier::app {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace

// ---- settings

void Targets::add_to(Fields& f) {
  f.add("kind", kind, {"classification", "regression"}, "Whether the targets are classes or numbers");
  f.add("metric", metric_, {"auto", "accuracy", "f1", "auc", "rmse", "mae", "r2"},
        fmt::format("Score that selects the best epoch; auto: rmse for numbers, {}accuracy for classes",
                    two_class_metric_ == "auc" ? "auc for two classes, otherwise " : ""));
  f.add("class-weights", class_weights_, {"none", "balanced"},
        "Weights of the classes in the loss; balanced: all classes count equally, however many examples they have");
}

// Answers have these members besides the targets.
void Targets::set_names(std::vector<std::string> names) {
  if (naming_ == Naming::name || names.size() > 1)
    for (const std::string& name : names)
      if (name == "id" || name == "error" || name == "line")
        throw Error(
            fmt::format("a target cannot be named '{}': answers use this name; rename the column or field", name));
  names_ = std::move(names);
}

std::string Targets::prefix(size_t t) const {
  return names_.size() > 1 || naming_ == Naming::name ? fmt::format("target '{}': ", names_[t]) : "";
}

// ---- learning

void Targets::learn(const Values& train, const Values& dev, const Values& test, const std::string& place) {
  targets_.clear();
  summary_.clear();
  is_weighted_ = false;
  Values others = dev;
  others.insert(others.end(), test.begin(), test.end());
  try {
    for (size_t t = 0; t < names_.size(); ++t)
      targets_.push_back(is_regression() ? learn_numbers(t, train) : learn_classes(t, train, others));
  } catch (const DataError& e) {
    const bool has_place = std::ranges::any_of(train, [&](const TargetValues* v) {
      return !v->place.empty() && std::string_view(e.what()).starts_with(v->place);
    });
    throw DataError((has_place ? "" : place) + e.what());
  }
  (void)metric();
}

void Targets::refuse_numbers(size_t t, const std::vector<std::string>& labels, size_t given) const {
  constexpr size_t few = 20;
  const bool are_numbers = std::ranges::all_of(labels, [](const std::string& l) { return number_in(l).has_value(); });
  if (are_numbers && labels.size() > few && 2 * labels.size() > given)
    throw DataError(fmt::format("{}{} different numbers in {} training examples; numbers need --kind regression",
                                prefix(t), labels.size(), given));
}

Targets::Target Targets::learn_classes(size_t t, const Values& train, const Values& others) {
  std::map<std::string, size_t> counts;  // of the training examples
  size_t given = 0;
  for (const TargetValues* values : train)
    if (const std::string label = label_in(values->texts.at(t)); !label.empty()) {
      if (!is_utf8(label)) throw DataError(fmt::format("{}{}the class is not valid UTF-8", values->place, prefix(t)));
      ++counts[label];
      ++given;
    }
  const size_t trained = counts.size();
  for (const TargetValues* values : others)
    if (const std::string label = label_in(values->texts.at(t)); !label.empty()) counts.try_emplace(label);
  Target target;
  for (const auto& [label, count] : counts) target.labels.push_back(label);
  sort_labels(target.labels);
  // With several targets, one may have its 0 or 1 only in other parts of the data.
  const bool are_flags = std::ranges::all_of(target.labels, [](const auto& l) { return l == "0" || l == "1"; });
  if (names_.size() > 1 && are_flags) target.labels = {"0", "1"};
  if (trained < 2 && !(names_.size() > 1 && are_flags)) {
    const auto only = std::ranges::find_if(counts, [](const auto& c) { return c.second > 0; });
    throw DataError(fmt::format("{}the training examples have {}; a classifier needs at least two classes", prefix(t),
                                only == counts.end() ? "no class" : "the single class '" + only->first + "'"));
  }
  refuse_numbers(t, target.labels, given);
  constexpr size_t most_classes = 1000;
  if (target.labels.size() > most_classes)
    throw DataError(fmt::format("{}{} classes; at most {} are allowed", prefix(t), target.labels.size(), most_classes));
  for (const std::string& label : target.labels) {
    const double even = static_cast<double>(given) / static_cast<double>(target.labels.size());
    const bool is_weighted = class_weights_ == "balanced" && counts[label] > 0;
    target.weights.push_back(is_weighted ? static_cast<float>(even / static_cast<double>(counts[label])) : 1.f);
  }
  is_weighted_ = is_weighted_ || class_weights_ == "balanced" || given < train.size();
  constexpr size_t most_shown = 20;
  std::string text = fmt::format("{}{} classes:", prefix(t), target.labels.size());
  for (size_t c = 0; c < std::min(target.labels.size(), most_shown); ++c)
    text += fmt::format("{} {}: {}", c == 0 ? "" : ",", target.labels[c], counts[target.labels[c]]);
  if (target.labels.size() > most_shown) text += fmt::format(", and {} more", target.labels.size() - most_shown);
  if (given < train.size()) text += fmt::format("; {} missing", train.size() - given);
  summary_.push_back(text);
  return target;
}

Targets::Target Targets::learn_numbers(size_t t, const Values& train) {
  std::vector<float> all;
  for (const TargetValues* values : train)
    if (const float x = value_of(t, values->texts.at(t), values->place); !std::isnan(x)) all.push_back(x);
  if (all.empty()) throw DataError(fmt::format("{}the training examples have no value", prefix(t)));
  Target target;
  train::Mean mean, square;
  for (const float x : all) mean.add(x);
  target.mean = static_cast<float>(mean.get());
  for (const float x : all) square.add((x - target.mean) * (x - target.mean));
  target.spread = static_cast<float>(std::sqrt(std::max(square.get(), 1e-12)));
  const auto [least, most] = std::ranges::minmax(all);
  if (!std::isfinite(target.mean) || !std::isfinite(target.spread))
    throw DataError(
        fmt::format("{}the standard deviation of the values, from {:.4g} to {:.4g}, is beyond the range of "
                    "float; needed smaller values",
                    prefix(t), least, most));
  summary_.push_back(fmt::format(
      "{}mean {:.4g}, standard deviation {:.4g}, from {:.4g} to {:.4g}{}", prefix(t), target.mean, target.spread, least,
      most, all.size() < train.size() ? fmt::format("; {} missing", train.size() - all.size()) : ""));
  is_weighted_ = is_weighted_ || all.size() < train.size();
  return target;
}

float Targets::value_of(size_t t, const std::string& text, const std::string& place) const {
  const std::string_view word = trimmed(text);
  if (is_regression()) {
    if (is_missing_number(word)) return missing;
    const auto value = number_in(word);
    if (!value || std::abs(*value) > static_cast<double>(std::numeric_limits<float>::max()))
      throw DataError(fmt::format("{}{}'{}' is not a number; regression needs numbers, or --kind classification", place,
                                  prefix(t), word));
    return static_cast<float>(*value);
  }
  if (word.empty()) return missing;
  const std::vector<std::string>& labels = targets_.at(t).labels;
  const std::string label = label_in(word);
  const auto found = std::ranges::find(labels, label);
  if (found == labels.end())
    throw DataError(
        fmt::format("{}{}the class '{}' does not occur in the training examples; the nearest of their {} "
                    "classes: {}",
                    place, prefix(t), label, labels.size(), nearest_names(label, labels)));
  return static_cast<float>(found - labels.begin());
}

void Targets::check(const TargetValues& target) const {
  if (is_regression())
    for (size_t t = 0; t < names_.size(); ++t) (void)value_of(t, target.texts.at(t), target.place);
}

void Targets::encode(TargetValues& target) const {
  target.values.clear();
  for (size_t t = 0; t < names_.size(); ++t) target.values.push_back(value_of(t, target.texts.at(t), target.place));
}

std::vector<std::string> Targets::summary() const { return summary_; }

// ---- checkpoints

void Targets::save(io::Meta& meta) const {
  Json all = Json::array();
  for (size_t t = 0; t < names_.size(); ++t)
    all.push_back({{"name", names_[t]},
                   {"labels", targets_[t].labels},
                   {"weights", targets_[t].weights},
                   {"mean", targets_[t].mean},
                   {"spread", targets_[t].spread}});
  meta["metric"] = metric_name();
  meta["targets"] = all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Targets::restore(const io::Meta& meta) {
  metric_ = meta.at("metric");
  names_.clear();
  targets_.clear();
  for (const Json& t : Json::parse(meta.at("targets"))) {
    names_.push_back(t.at("name"));
    targets_.push_back({t.at("labels"), t.at("weights"), t.at("mean"), t.at("spread")});
  }
}

}  // namespace espalier::app
