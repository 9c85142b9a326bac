// Targets: losses and answers from the model's output row.
#include <algorithm>
#include <cmath>

#include "task/targets/targets.h"

namespace espalier::app {

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
      Expr loss = targets_[t].is_binary() ? binary_cross_entropy_with_logits(
                                                part, input(g, std::vector<float>{target.values[t]}, part.shape()))
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

Json Targets::answer(std::span<const float> row) const {
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

}  // namespace espalier::app
