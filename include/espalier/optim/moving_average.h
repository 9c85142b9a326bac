// Exponential moving averages of the parameters during training (Polyak and Juditsky 1992). They often evaluate better
// than the parameters themselves.
#pragma once
#include <map>
#include <memory>
#include <string>

#include <espalier/param/parameters.h>

namespace espalier {
class Gradients;
namespace detail {
class MovingAverageState;
}

namespace optim {
class Optimizer;

// A handle; copies share state. The average of a parameter starts at the parameter's value in the constructor. For a
// parameter created later, it starts at the value after the next update() or step(), or when tensors() or restore() is
// called, whichever comes first. Uses as much memory as the parameters.
class ESPALIER_API MovingAverage {
 public:
  explicit MovingAverage(Parameters& params, float decay = 0.999f);  // Error unless 0 ≤ decay < 1
  MovingAverage(const MovingAverage&) = default;
  MovingAverage& operator=(const MovingAverage&) = default;

  // Call after changing the parameters: average = decay · average + (1 - decay) · value, for all elements.
  void update();
  // Equivalent, bit for bit, to optimizer.step(gradients) followed by update(), but touches only the parameters and
  // table rows that have a gradient. The averages of the others are caught up when they are needed: one pass per missed
  // step, until they no longer change. Training that calls this must not change parameters in any other way.
  void step(Optimizer& optimizer, const Gradients& gradients);

  // swap_in replaces the values of the parameters with the averages, to evaluate or save them; swap_out restores the
  // values bit for bit. Error if swapped in twice or out without in. While swapped in, update, step and restore throw
  // Error, and other writes to parameters are lost at swap_out.
  void swap_in();
  void swap_out();
  bool swapped_in() const;

  // The averages by parameter name, whether swapped in or not. `io::File{average.tensors(), {}}.write(path)` writes a
  // file that can also be loaded as parameters; restore(File::read(path).tensors) continues with the same bits. Error,
  // naming the tensor and changing nothing, if a tensor is missing, has no parameter or has the wrong shape.
  std::map<std::string, Tensor> tensors() const;
  void restore(const std::map<std::string, Tensor>& tensors);

 private:
  std::shared_ptr<detail::MovingAverageState> state_;
};

}  // namespace optim
}  // namespace espalier
