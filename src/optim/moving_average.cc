#include <espalier/optim/moving_average.h>

#include <algorithm>
#include <vector>

#include <espalier/optim/optimizer.h>

#include "optim/need.h"
#include "optim/state.h"
#include "param/gradient_state.h"

namespace espalier {
namespace detail {
namespace {

// Every element `times` times: a row is caught up with by the same operations that it missed.
void move(float* __restrict average, const float* __restrict value, size_t n, float rest, uint64_t times) {
  if (std::equal(average, average + n, value)) return;
  // Near its value an average stands still, for what is added is less than its last bit: the passes that are left would
  // change nothing.
  for (bool moves = true; times > 0 && moves; --times) {
    moves = false;
    for (size_t i = 0; i < n; ++i) {
      const float before = average[i];
      average[i] += rest * (value[i] - before);
      moves |= average[i] != before;
    }
  }
}

}  // namespace

// The average of one parameter, by rows that were moved last at different times; of what is no table, one row.
class Average {
 public:
  Average(const std::shared_ptr<Slot>& slot, uint64_t now)
      : slot_(slot),
        numbers_(slot->data.host().begin(), slot->data.host().begin() + static_cast<std::ptrdiff_t>(slot->size())),
        moved_(slot->table ? static_cast<size_t>(slot->shape[0]) : 1, now),
        width_(slot->table ? slot->row_size() : slot->size()) {}

  std::shared_ptr<Slot> slot() const { return slot_.lock(); }
  std::vector<float>& numbers() { return numbers_; }

  // Until `now`, with the values as they are.
  void catch_up(const Slot& slot, size_t row, float rest, uint64_t now) {
    move(numbers_.data() + row * width_, slot.data.host().data() + row * width_, width_, rest, now - moved_[row]);
    moved_[row] = now;
  }
  void catch_up(const Slot& slot, float rest, uint64_t now) {
    for (size_t row = 0; row < moved_.size(); ++row) catch_up(slot, row, rest, now);
  }
  void catch_up(const GradientEntry& gradient, float rest, uint64_t now) {
    if (!gradient.sparse) return catch_up(*gradient.slot, rest, now);
    for (const int32_t row : gradient.rows.host()) catch_up(*gradient.slot, static_cast<size_t>(row), rest, now);
  }

 private:
  std::weak_ptr<Slot> slot_;
  std::vector<float> numbers_;
  std::vector<uint64_t> moved_;  // how many updates each row has had
  size_t width_;
};

class MovingAverageState {
 public:
  MovingAverageState(Parameters& params, float decay) : rest_(1 - decay), root_(Scope(params).root()) {
    need_below_one("moving average", "decay", decay);
    meet();
  }

  void update() {
    need_out("update");
    ++now_;
    catch_up();
    meet();
  }

  void step(OptimizerState& optimizer, const GradientState& gradients) {
    need_out("step");
    catch_up(gradients);  // with the values before the step
    optimizer.step(gradients);
    ++now_;
    catch_up(gradients);
    meet();
  }

  bool swapped_in() const { return in_; }
  void swap(bool in) {
    if (in == in_)
      throw Error(in ? "moving average: swap_in is called twice; the averages are in already"
                     : "moving average: swap_out is called before swap_in; the averages are not in");
    if (in) catch_up();
    for (auto& [address, average] : averages_)
      if (const auto slot = average.slot())
        std::swap_ranges(average.numbers().begin(), average.numbers().end(), slot->data.host_to_write().begin());
    in_ = in;
  }

  std::map<std::string, Tensor> tensors() {
    if (!in_) {
      catch_up();
      meet();
    }
    std::map<std::string, Tensor> found;
    for (auto& [address, average] : averages_)
      if (const auto slot = average.slot())
        found[slot->name] = in_ ? Parameter(slot).value() : Tensor{slot->shape, average.numbers()};
    return found;
  }

  void restore(const std::map<std::string, Tensor>& tensors) {
    need_out("restore");
    meet();
    std::map<std::string_view, std::vector<float>*> places;
    for (auto& [address, average] : averages_) {
      const auto slot = average.slot();
      const auto it = tensors.find(slot->name);
      if (it == tensors.end()) throw Error("moving average: there is no tensor '" + slot->name + "' to restore");
      const Tensor& t = it->second;
      if (t.shape != slot->shape || t.data.size() != slot->size())
        throw Error(
            fmt::format("moving average: '{}' is {} and a tensor {} of {} numbers is given; the shapes must be "
                        "equal",
                        slot->name, str(slot->shape), str(t.shape), t.data.size()));
      places[it->first] = &average.numbers();
    }
    for (const auto& [name, tensor] : tensors)
      if (!places.contains(name)) throw Error("moving average: tensor '" + name + "' has no parameter");
    catch_up();
    for (const auto& [name, numbers] : places) *numbers = tensors.find(std::string(name))->second.data;
  }

 private:
  // Parameters that are not known yet begin with the values they have; those that are gone are forgotten.
  void meet() {
    std::erase_if(averages_, [](const auto& item) { return !item.second.slot(); });
    const auto root = root_.lock();
    if (!root || root->made == met_) return;
    for (const auto& [name, slot] : root->slots) averages_.try_emplace(slot.get(), slot, now_);
    met_ = root->made;
  }

  void catch_up() {
    for (auto& [address, average] : averages_)
      if (const auto slot = average.slot()) average.catch_up(*slot, rest_, now_);
  }
  // Only what the gradients touch.
  void catch_up(const GradientState& gradients) {
    for (size_t i = 0; i < gradients.used; ++i)
      if (const auto it = averages_.find(gradients.entries[i].slot.get()); it != averages_.end())
        it->second.catch_up(gradients.entries[i], rest_, now_);
  }

  void need_out(const char* what) const {
    if (in_) throw Error(fmt::format("moving average: {} while the averages are in; call swap_out before", what));
  }

  float rest_;
  bool in_ = false;
  uint64_t now_ = 0;  // updates so far
  uint64_t met_ = 0;  // parameters made when they were looked at last
  std::weak_ptr<ParametersState> root_;
  std::map<const Slot*, Average> averages_;  // by address, which a weak pointer keeps from being given to another slot
};

}  // namespace detail

namespace optim {

MovingAverage::MovingAverage(Parameters& params, float decay)
    : state_(std::make_shared<detail::MovingAverageState>(params, decay)) {}
void MovingAverage::update() { state_->update(); }
void MovingAverage::step(Optimizer& optimizer, const Gradients& gradients) {
  state_->step(optimizer.state(), gradients.state());
}
void MovingAverage::swap_in() { state_->swap(true); }
bool MovingAverage::swapped_in() const { return state_->swapped_in(); }
void MovingAverage::swap_out() { state_->swap(false); }
std::map<std::string, Tensor> MovingAverage::tensors() const { return state_->tensors(); }
void MovingAverage::restore(const std::map<std::string, Tensor>& tensors) { state_->restore(tensors); }

}  // namespace optim
}  // namespace espalier
