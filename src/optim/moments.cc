// The moments of an optimiser as named tensors, for checkpoints.
#include <algorithm>

#include "base/check.h"
#include "optim/state.h"

namespace espalier::detail {

std::string OptimizerState::moment_name(size_t which, const ParameterStorage& storage) const {
  return std::string(rule()) + "." + std::string(moments()[which]) + "/" + storage.name.text();
}

std::vector<std::shared_ptr<ParameterStorage>> OptimizerState::parameters() {
  if (const auto root = root_.lock())
    for (const auto& [name, storage] : root->parameters) find(storage);
  std::vector<std::shared_ptr<ParameterStorage>> parameters;
  for (const auto& [address, kept] : kept_)
    if (auto storage = kept.parameter.lock()) parameters.push_back(std::move(storage));
  std::sort(parameters.begin(), parameters.end(), [](const auto& a, const auto& b) { return a->ordinal < b->ordinal; });
  return parameters;
}

void OptimizerState::visit(const Visitor& visitor) {
  for (const auto& storage : parameters()) {
    const std::vector<MirroredFloats>& kept = kept_.at(storage.get()).moments;
    for (size_t k = 0; k < kept.size(); ++k)
      visitor(moment_name(k, *storage), storage->shape, kept[k].host().data(), kept[k].size());
  }
}

void OptimizerState::restore(uint64_t steps, float lr, std::vector<Restored> restored) {
  std::vector<Kept*> places;
  places.reserve(restored.size());
  for (const Restored& r : restored) {
    ESPALIER_CHECK(r.moments.size() == moments().size());
    for (const auto& moment : r.moments) ESPALIER_CHECK(moment.size() == r.parameter->size());
    places.push_back(find(r.parameter));
    ESPALIER_CHECK(places.back());
  }
  std::vector<std::vector<MirroredFloats>> values(restored.size());  // everything that may throw comes first
  for (size_t i = 0; i < restored.size(); ++i) {
    values[i].resize(moments().size());
    for (size_t k = 0; k < moments().size(); ++k) {
      const std::vector<float>& from = restored[i].moments[k];
      values[i][k].host_to_write().assign(from.begin(), from.end());
      restored[i].moments[k] = {};
    }
  }
  for (auto& [address, kept] : kept_) kept.moments.clear();
  for (size_t i = 0; i < restored.size(); ++i) places[i]->moments = std::move(values[i]);
  steps_ = steps;
  settings_.lr = lr;
}

}  // namespace espalier::detail
