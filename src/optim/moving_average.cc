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

// Applies `times` updates to every element, so a row is caught up by exactly the operations it missed.
void move(float* __restrict average, const float* __restrict value, size_t n, float rest, uint64_t times) {
  if (std::equal(average, average + n, value)) return;
  // Close to its value an average no longer changes, because the increment is less than its last bit; the remaining
  // passes can be skipped.
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

// The average of one parameter. Each row of a table has its own update count; other parameters count as one row.
class Average {
 public:
  Average(const std::shared_ptr<ParameterStorage>& storage, uint64_t now)
      : parameter_(storage),
        numbers_(storage->data.host().begin(),
                 storage->data.host().begin() + static_cast<std::ptrdiff_t>(storage->size())),
        moved_(storage->table ? static_cast<size_t>(storage->shape[0]) : 1, now),
        width_(storage->table ? storage->row_size() : storage->size()) {}

  std::shared_ptr<ParameterStorage> storage() const { return parameter_.lock(); }
  std::vector<float>& numbers() { return numbers_; }

  // Applies all updates up to `now`, with the current values.
  void catch_up(const ParameterStorage& storage, size_t row, float rest, uint64_t now) {
    move(numbers_.data() + row * width_, storage.data.host().data() + row * width_, width_, rest, now - moved_[row]);
    moved_[row] = now;
  }
  void catch_up(const ParameterStorage& storage, float rest, uint64_t now) {
    for (size_t row = 0; row < moved_.size(); ++row) catch_up(storage, row, rest, now);
  }
  void catch_up(const GradientEntry& gradient, float rest, uint64_t now) {
    if (!gradient.sparse) return catch_up(*gradient.parameter, rest, now);
    for (const int32_t row : gradient.rows.host()) catch_up(*gradient.parameter, static_cast<size_t>(row), rest, now);
  }

 private:
  std::weak_ptr<ParameterStorage> parameter_;
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
      throw Error(in ? "moving average: swap_in was called twice; the averages are already swapped in"
                     : "moving average: swap_out was called without swap_in; the averages are not swapped in");
    if (in) catch_up();
    for (auto& [address, average] : averages_)
      if (const auto storage = average.storage())
        std::swap_ranges(average.numbers().begin(), average.numbers().end(), storage->data.host_to_write().begin());
    in_ = in;
  }

  std::map<std::string, Tensor> tensors() {
    if (!in_) {
      catch_up();
      meet();
    }
    std::map<std::string, Tensor> found;
    for (auto& [address, average] : averages_)
      if (const auto storage = average.storage())
        found[storage->name.text()] = in_ ? Parameter(storage).value() : Tensor{storage->shape, average.numbers()};
    return found;
  }

  void restore(const std::map<std::string, Tensor>& tensors) {
    need_out("restore");
    meet();
    std::map<std::string_view, std::vector<float>*> places;
    for (auto& [address, average] : averages_) {
      const auto storage = average.storage();
      const auto it = tensors.find(storage->name.text());
      if (it == tensors.end())
        throw Error("moving average: tensor '" + str(storage->name) +
                    "' is missing; restore needs one for each parameter");
      const Tensor& t = it->second;
      if (t.shape() != storage->shape)
        throw Error(fmt::format("moving average: '{}' is {} and a tensor {} is given; the shapes must be equal",
                                str(storage->name), str(storage->shape), str(t.shape())));
      places[it->first] = &average.numbers();
    }
    for (const auto& [name, tensor] : tensors)
      if (!places.contains(name)) throw Error("moving average: tensor '" + name + "' has no parameter");
    catch_up();
    for (const auto& [name, numbers] : places) *numbers = tensors.find(std::string(name))->second.to_vector();
  }

 private:
  // Adds new parameters, with their current values as averages, and removes destroyed ones.
  void meet() {
    std::erase_if(averages_, [](const auto& item) { return !item.second.storage(); });
    const auto root = root_.lock();
    if (!root || root->made == met_) return;
    for (const auto& [name, storage] : root->parameters) averages_.try_emplace(storage.get(), storage, now_);
    met_ = root->made;
  }

  void catch_up() {
    for (auto& [address, average] : averages_)
      if (const auto storage = average.storage()) average.catch_up(*storage, rest_, now_);
  }
  // Catches up only the parameters and rows in the gradients.
  void catch_up(const GradientState& gradients) {
    for (size_t i = 0; i < gradients.used; ++i)
      if (const auto it = averages_.find(gradients.entries[i].parameter.get()); it != averages_.end())
        it->second.catch_up(gradients.entries[i], rest_, now_);
  }

  void need_out(const char* what) const {
    if (in_)
      throw Error(
          fmt::format("moving average: {} was called while the averages are swapped in; call swap_out first", what));
  }

  float rest_;
  bool in_ = false;
  uint64_t now_ = 0;  // number of updates
  uint64_t met_ = 0;  // ParametersState::made at the last call of meet()
  std::weak_ptr<ParametersState> root_;
  // By address; the weak pointer in Average keeps the address from being reused.
  std::map<const ParameterStorage*, Average> averages_;
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
