#include "io/loading.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/core.h>
#include <espalier/engine/engine.h>
#include <espalier/optim/moving_average.h>

#include "io/names.h"

namespace espalier::io {

using detail::OptimizerState;
using detail::ParameterStorage;

bool is_moment(std::string_view name, std::string_view rule) {
  return !rule.empty() && name.starts_with(rule) && name.substr(rule.size()).starts_with(".") &&
         name.find('/') != std::string_view::npos;
}

namespace {
constexpr size_t max_names = 4;  // listed in a message
}

void Misfits::add(const std::string& name) { add(name, quote(name)); }
void Misfits::add(std::string name, const std::string& shown) {
  names_.push_back(std::move(name));
  if (names_.size() <= max_names) text_ += (names_.size() > 1 ? ", " : "") + shown;
}
std::string Misfits::text(std::string_view one, std::string_view many) const {
  const size_t n = names_.size();
  if (n == 0) return {};
  return fmt::format("; {} {}: {}{}", n, n == 1 ? one : many, text_, n > max_names ? ", …" : "");
}

Loading::Loading(const Reader& file) : file_(file) {
  for (const Stored& tensor : file.header().tensors) waiting_.emplace(tensor.name, &tensor);
  if (const auto rule = file.header().meta.find(rule_key); rule != file.header().meta.end()) rule_ = rule->second;
}

void Loading::fit(Parameters& params) {
  for (const Parameter& p : params.all())
    if (Sum sum = take(names_in_files(p.name()), p.shape()); !sum.empty())
      values_.emplace_back(p.storage(), std::move(sum));
  for (const auto& [name, tensor] : waiting_)
    if (!is_moment(name, rule_) && !is_average(name)) extra_.add(name);
  if (!has(parameters_seed_key)) return;  // a file with weights only
  parameters_seed_ = number<uint64_t>(parameters_seed_key);
  parameters_ = Scope(params).root().get();
}

void Loading::fit(OptimizerState& optimizer) {
  if (rule_ != optimizer.rule()) {
    lacks_ += rule_.empty() ? "; it contains no optimiser"
                            : fmt::format("; it contains the state of the optimiser {}, not of {}", quote(rule_),
                                          optimizer.rule());
    return;
  }
  optimizer_ = &optimizer;
  step_ = number<uint64_t>(step_key);
  lr_ = number<float>(lr_key);
  for (const auto& storage : optimizer.parameters()) fit(storage);
  for (const auto& [name, tensor] : waiting_)
    if (is_moment(name, rule_)) extra_.add(name);
}

void Loading::fit(Engine& engine) {
  if (!has(engine_seed_key)) {
    lacks_ += "; it contains no engine";
    return;
  }
  engine_seed_ = number<uint64_t>(engine_seed_key);
  engine_ = &engine;
}

void Loading::fit(Position& position) {
  if (!has(epoch_key)) {
    lacks_ += "; it contains no position";
    return;
  }
  new_position_ = {number<uint64_t>(epoch_key), number<uint64_t>(minibatch_key)};
  position_ = &position;
}

void Loading::fit(optim::MovingAverage& average) {
  if (!has(average_key)) {
    lacks_ += "; it contains no moving averages";
    return;
  }
  average_ = &average;
  for (const auto& [name, tensor] : average.tensors())
    if (Sum sum = take({{average_prefix + name}}, tensor.shape()); !sum.empty())
      averages_[name] = {tensor.shape(), std::move(sum)};
}

void Loading::require_all() const {
  const std::string wrong = missing_.text("tensor is missing", "tensors are missing") +
                            extra_.text("tensor has no parameter", "tensors have no parameter") +
                            misshapen_.text("tensor has another shape", "tensors have another shape") + lacks_;
  if (!wrong.empty())
    throw DataError(file_.path() + ": does not match:" + wrong.substr(1) + "; strict false loads what matches");
}

void Loading::list_misfits(Loaded& to) const {
  to.missing = missing_.names();
  to.unexpected = extra_.names();
  to.misshapen = misshapen_.names();
}

void Loading::run() {
  std::vector<std::vector<float>> values;
  values.reserve(values_.size());
  for (const auto& [parameter, sum] : values_) values.push_back(read(sum));
  std::vector<OptimizerState::Restored> restored;
  for (const auto& [parameter, sums] : moments_) {
    restored.push_back({parameter, {}});
    for (const Sum& sum : sums) restored.back().moments.push_back(read(sum));
  }
  std::map<std::string, Tensor> averages;
  if (average_) averages = average_->tensors();
  for (const auto& [name, from] : averages_) averages[name] = {from.first, read(from.second)};
  // Everything is read. The calls that may still throw come first, before anything has changed: copying parameters from
  // a device or allocating them, and restoring averages, which throws if they are swapped in.
  for (const auto& [parameter, sum] : values_) parameter->data.allocate();
  if (average_) average_->restore(averages);
  if (optimizer_) optimizer_->restore(step_, lr_, std::move(restored));
  for (size_t i = 0; i < values.size(); ++i) values_[i].first->data.assign(values[i]);
  if (parameters_) parameters_->origin->seed = parameters_seed_;
  if (engine_) engine_->set_seed(engine_seed_);
  if (position_) *position_ = new_position_;
}

std::vector<float> Loading::read(const Sum& sum) const {
  std::vector<float> values = file_.read(*sum[0]);
  for (size_t i = 1; i < sum.size(); ++i) {
    const std::vector<float> more = file_.read(*sum[i]);
    std::transform(values.begin(), values.end(), more.begin(), values.begin(), std::plus<>());
  }
  return values;
}

// Takes the tensors of the first alternative that the file contains. Returns an empty sum and records why if there is
// no such alternative or a shape differs.
Loading::Sum Loading::take(const std::vector<std::vector<std::string>>& alternatives, const Shape& shape) {
  const auto waits = [&](const std::string& name) { return waiting_.contains(name); };
  const auto found = std::find_if(alternatives.begin(), alternatives.end(),
                                  [&](const auto& names) { return std::all_of(names.begin(), names.end(), waits); });
  if (found == alternatives.end()) {
    missing_.add(alternatives[0][0]);
    return {};
  }
  Sum sum;
  for (const std::string& name : *found) {
    const Stored* tensor = waiting_.extract(name).mapped();
    if (tensor->shape == shape)
      sum.push_back(tensor);
    else
      misshapen_.add(name, fmt::format("{} is {} in the file, {} here", quote(name), str(tensor->shape), str(shape)));
  }
  if (sum.size() < found->size()) sum.clear();
  return sum;
}

// Takes all moments of a parameter. A parameter that was never updated has none in the file.
void Loading::fit(const std::shared_ptr<ParameterStorage>& storage) {
  std::vector<std::string> names;
  bool any = false;
  for (size_t k = 0; k < optimizer_->moments().size(); ++k) {
    names.push_back(optimizer_->moment_name(k, *storage));
    any = any || waiting_.contains(names.back());
  }
  if (!any) return;
  std::vector<Sum> sums;
  for (const std::string& name : names)
    if (Sum sum = take({{name}}, storage->shape); !sum.empty()) sums.push_back(std::move(sum));
  if (sums.size() == names.size()) moments_.emplace_back(storage, std::move(sums));
}

template <class T>
T Loading::number(const std::string& key) const {
  const auto& meta = file_.header().meta;
  const auto it = meta.find(key);
  const std::string text = it == meta.end() ? "" : it->second;
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0) ||
      value > std::numeric_limits<T>::max())
    throw DataError(fmt::format("{}: {} is {}; a number of at least 0 is needed", file_.path(), key, quote(text)));
  return value;
}

}  // namespace espalier::io
