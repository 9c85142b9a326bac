#include "task/targets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/nearest_names.h"
#include "task/label_text.h"
#include "tasks/metrics/roc_auc.h"

namespace espalier::app {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

// Spreadsheets write the class 1 as 1.0 if other cells of the column are empty. 007 and 1e2 stay.
std::string label_in(std::string_view text) {
  std::string_view word = trimmed(text);
  std::string_view digits = word.substr(0, word.find('.'));
  const std::string_view fraction = word.substr(std::min(digits.size() + 1, word.size()));
  if (digits.starts_with('-')) digits.remove_prefix(1);
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  const bool is_plain = !digits.empty() && std::ranges::all_of(digits, is_digit) && (digits == "0" || digits[0] != '0');
  if (is_plain && !fraction.empty() && fraction.find_first_not_of('0') == std::string_view::npos)
    word = word.substr(0, word.find('.'));
  return std::string(word);
}

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

bool is_missing_number(std::string_view word) {
  return word.empty() || word == "NA" || word == "N/A" || word == "nan" || word == "NaN" || word == "null";
}

double mean_of(const std::vector<float>& values) {
  train::Mean mean;
  for (const float x : values) mean.add(x);
  return mean.get();
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
  // Of several targets, some may have the values 0 or 1 in other parts of the data only.
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
    text += fmt::format("{} {} {}", c == 0 ? "" : ",", target.labels[c], counts[target.labels[c]]);
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
  target.mean = static_cast<float>(mean_of(all));
  train::Mean square;
  for (const float x : all) square.add((x - target.mean) * (x - target.mean));
  target.spread = static_cast<float>(std::sqrt(std::max(square.get(), 1e-12)));
  const auto [least, most] = std::ranges::minmax(all);
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

// ---- the output row

int Targets::row_size() const {
  size_t size = 0;
  for (const Target& target : targets_) size += target.outputs();
  return static_cast<int>(size);
}

std::optional<Expr> Targets::loss(Graph& g, const Expr& row, const TargetValues& target) const {
  if (std::ranges::all_of(target.values, [](float x) { return std::isnan(x); })) return {};
  if (std::ranges::none_of(targets_, [](const Target& t) { return t.labels.size() > 2; }))
    return row_loss(g, row, target);
  std::optional<Expr> sum;
  int begin = 0;
  for (size_t t = 0; t < targets_.size(); ++t) {
    const int end = begin + static_cast<int>(targets_[t].outputs());
    if (!std::isnan(target.values[t])) {
      const auto value = static_cast<size_t>(target.values[t]);
      const Expr part = targets_.size() == 1 ? row : slice(row, begin, end);
      Expr loss = targets_[t].is_binary() ? binary_cross_entropy_with_logits(part, input(g, {target.values[t]}))
                                          : cross_entropy(part, static_cast<int>(value));
      if (targets_[t].weights[value] != 1) loss = loss * targets_[t].weights[value];
      sum = sum ? *sum + loss : loss;
    }
    begin = end;
  }
  return sum;
}

// All targets have one output: squared errors of standardised numbers, or binary cross-entropies.
Expr Targets::row_loss(Graph& g, const Expr& row, const TargetValues& target) const {
  std::vector<float> wanted(targets_.size()), weights(targets_.size());
  for (size_t t = 0; t < targets_.size(); ++t) {
    const float value = target.values[t];
    if (std::isnan(value)) continue;
    wanted[t] = is_regression() ? (value - targets_[t].mean) / targets_[t].spread : value;
    weights[t] = is_regression() ? 1 : targets_[t].weights[static_cast<size_t>(value)];
  }
  const Expr gold = input(g, wanted, row.shape());
  const Expr losses = is_regression() ? square(row - gold) : softplus(row) - row * gold;
  return sum_elements(is_weighted_ ? losses * input(g, weights, row.shape()) : losses);
}

Json Targets::answer(const std::vector<float>& row) const {
  if (naming_ == Naming::none && names_.size() == 1) {
    const Json only = answer_to(0, row.data());
    return only.is_object() ? only : Json{{"value", only}};
  }
  Json all = Json::object();
  const float* outputs = row.data();
  for (size_t t = 0; t < targets_.size(); outputs += targets_[t].outputs(), ++t) {
    // The probability of 1 suffices for a target that is 0 or 1.
    const bool is_flag = targets_[t].is_flag();
    all[names_[t]] = is_flag ? Json(1 / (1 + std::exp(-outputs[0]))) : answer_to(t, outputs);
  }
  return all;
}

Json Targets::answer_to(size_t t, const float* outputs) const {
  const Target& target = targets_[t];
  if (target.is_number()) return outputs[0] * target.spread + target.mean;
  std::vector<float> probabilities(target.labels.size());
  if (target.is_binary()) {
    probabilities[1] = 1 / (1 + std::exp(-outputs[0]));
    probabilities[0] = 1 / (1 + std::exp(outputs[0]));
  } else {
    const float most = *std::max_element(outputs, outputs + target.outputs());
    float sum = 0;
    for (size_t c = 0; c < probabilities.size(); ++c) sum += probabilities[c] = std::exp(outputs[c] - most);
    for (float& p : probabilities) p /= sum;
  }
  Json of_each = Json::object();
  for (size_t c = 0; c < probabilities.size(); ++c) of_each[target.labels[c]] = probabilities[c];
  return {{"label", target.labels[static_cast<size_t>(argmax(probabilities))]}, {"probabilities", of_each}};
}

// ---- evaluation

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

void Targets::Scores::add(const TargetValues& target, const std::vector<float>& row) {
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
  scores.emplace_back("auc", roc_auc(scored).value_or(missing));
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
  std::ranges::stable_partition(names, [&](const std::string& name) { return name == metric; });
  Evaluation e;
  for (const std::string& name : names) e.scores.emplace_back(name, means[name].get());
  if (e.scores.empty()) e.scores.emplace_back(metric, missing);
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
