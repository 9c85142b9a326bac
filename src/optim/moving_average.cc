#include <espalier/optim/moving_average.h>

#include <algorithm>
#include <vector>

#include "optim/need.h"
#include "param/slot.h"

namespace espalier {
namespace detail {
namespace {

void move_average(float* __restrict average, const float* __restrict value, size_t n, float rest) {
  for (size_t i = 0; i < n; ++i) average[i] += rest * (value[i] - average[i]);
}

}  // namespace

class MovingAverageState {
 public:
  MovingAverageState(Parameters& params, float decay)
      : rest_(1 - decay), root_(Scope(params).root()->weak_from_this()) {
    need_below_one("moving average", "decay", decay);
    meet();
  }

  void update() {
    need_out("update");
    for (auto& [slot, average] : living()) move_average(average->data(), slot->data.data(), average->size(), rest_);
    meet();
  }

  void swap(bool in) {
    if (in == in_)
      throw Error(in ? "moving average: swap_in is called twice; the averages are in already"
                     : "moving average: swap_out is called before swap_in; the averages are not in");
    for (auto& [slot, average] : living()) std::swap_ranges(average->begin(), average->end(), slot->data.begin());
    in_ = in;
  }

  std::map<std::string, Tensor> tensors() {
    std::map<std::string, Tensor> found;
    for (auto& [slot, average] : living()) {
      const float* from = in_ ? slot->data.data() : average->data();
      found[slot->name] = {slot->shape, {from, from + average->size()}};
    }
    return found;
  }

  void restore(const std::map<std::string, Tensor>& tensors) {
    need_out("restore");
    meet();
    auto all = living();
    for (const auto& [slot, average] : all) {
      const auto it = tensors.find(slot->name);
      if (it == tensors.end()) throw Error("moving average: there is no tensor '" + slot->name + "' to restore");
      const Tensor& t = it->second;
      if (t.shape != slot->shape || t.data.size() != slot->size())
        throw Error(
            fmt::format("moving average: '{}' is {} and a tensor {} of {} numbers is given; the shapes must be "
                        "equal",
                        slot->name, str(slot->shape), str(t.shape), t.data.size()));
    }
    for (const auto& [name, tensor] : tensors)
      if (std::none_of(all.begin(), all.end(), [&](const auto& item) { return item.first->name == name; }))
        throw Error("moving average: tensor '" + name + "' has no parameter");
    for (auto& [slot, average] : all) *average = tensors.at(slot->name).data;
  }

 private:
  struct Kept {
    std::weak_ptr<Slot> slot;
    std::vector<float> average;
  };
  using Living = std::vector<std::pair<std::shared_ptr<Slot>, std::vector<float>*>>;

  // Parameters that are not known yet begin with the values they have; those that are gone are forgotten.
  void meet() {
    std::erase_if(kept_, [](const auto& item) { return item.second.slot.expired(); });
    const auto root = root_.lock();
    if (!root) return;
    for (const auto& [name, weak] : root->slots)
      if (const auto slot = weak.lock(); slot && !kept_.contains(slot.get()))
        kept_[slot.get()] = {slot, Parameter(slot).value().data};
  }

  Living living() {
    Living found;
    for (auto& [address, kept] : kept_)
      if (auto slot = kept.slot.lock()) found.emplace_back(std::move(slot), &kept.average);
    return found;
  }

  void need_out(const char* what) const {
    if (in_) throw Error(fmt::format("moving average: {} while the averages are in; call swap_out before", what));
  }

  float rest_;
  bool in_ = false;
  std::weak_ptr<ParametersState> root_;
  std::map<const Slot*, Kept> kept_;  // by address, which the weak pointer keeps from being given to another slot
};

}  // namespace detail

namespace optim {

MovingAverage::MovingAverage(Parameters& params, float decay)
    : state_(std::make_shared<detail::MovingAverageState>(params, decay)) {}
void MovingAverage::update() { state_->update(); }
void MovingAverage::swap_in() { state_->swap(true); }
void MovingAverage::swap_out() { state_->swap(false); }
std::map<std::string, Tensor> MovingAverage::tensors() const { return state_->tensors(); }
void MovingAverage::restore(const std::map<std::string, Tensor>& tensors) { state_->restore(tensors); }

}  // namespace optim
}  // namespace espalier
