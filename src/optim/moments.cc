// The moments of an optimiser as tensors by name: what a checkpoint saves and restores.
#include <algorithm>

#include "base/check.h"
#include "optim/state.h"

namespace espalier::detail {

std::string OptimizerState::moment_name(size_t which, const Slot& slot) const {
  return std::string(rule()) + "." + std::string(moments()[which]) + "/" + slot.name;
}

std::vector<std::shared_ptr<Slot>> OptimizerState::parameters() {
  if (const auto root = root_.lock())
    for (const auto& [name, slot] : root->slots) find(slot);
  std::vector<std::shared_ptr<Slot>> slots;
  for (const auto& [address, kept] : kept_)
    if (auto slot = kept.slot.lock()) slots.push_back(std::move(slot));
  std::sort(slots.begin(), slots.end(), [](const auto& a, const auto& b) { return a->ordinal < b->ordinal; });
  return slots;
}

void OptimizerState::visit(const Visitor& visitor) {
  for (const auto& slot : parameters()) {
    const std::vector<Numbers>& kept = kept_.at(slot.get()).moments;
    for (size_t k = 0; k < kept.size(); ++k)
      visitor(moment_name(k, *slot), slot->shape, kept[k].host().data(), kept[k].size());
  }
}

void OptimizerState::restore(uint64_t steps, float lr, std::vector<Restored> restored) {
  std::vector<Kept*> places;
  places.reserve(restored.size());
  for (const Restored& r : restored) {
    ESPALIER_CHECK(r.moments.size() == moments().size());
    for (const auto& moment : r.moments) ESPALIER_CHECK(moment.size() == r.slot->size());
    places.push_back(find(r.slot));
    ESPALIER_CHECK(places.back());
  }
  for (auto& [address, kept] : kept_) kept.moments.clear();
  for (size_t i = 0; i < restored.size(); ++i) {
    places[i]->moments.resize(moments().size());
    for (size_t k = 0; k < moments().size(); ++k)
      places[i]->moments[k].host_to_write() = std::move(restored[i].moments[k]);
  }
  steps_ = steps;
  settings_.lr = lr;
}

}  // namespace espalier::detail
