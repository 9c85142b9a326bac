// The exponential moving average of parameters over a training (Polyak and Juditsky 1992), which often evaluates better
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

// A handle; a copy shares. The average of a parameter begins at its value when it is first seen: here, or, of one made
// later, at the next step, or when the averages are asked for. As much memory as the parameters.
class ESPALIER_API MovingAverage {
 public:
  explicit MovingAverage(Parameters& params, float decay = 0.999f);  // Error unless 0 ≤ decay < 1
  MovingAverage(const MovingAverage&) = default;
  MovingAverage& operator=(const MovingAverage&) = default;

  // After whatever changed the parameters: average = decay · average + (1 - decay) · value, for all numbers.
  void update();
  // optimizer.step(gradients) and then update(), to the same bits, but of a table only the rows in the gradient are
  // touched; a row that rested is caught up with when it is needed, in as many passes as it missed, or until it stands
  // still. In a training that calls it, nothing else may change parameters.
  void step(Optimizer& optimizer, const Gradients& gradients);

  // The averages take the place of the values, to evaluate or save them; and back, to the same bits. Error where they
  // are there already, or are not; update, step and restore are an Error while they are in. What else writes
  // parameters meanwhile is lost at swap_out.
  void swap_in();
  void swap_out();
  bool swapped_in() const;

  // The averages by the names of their parameters, swapped in or not. `io::File{average.tensors(), {}}.write(path)`
  // makes a file that loads as parameters, too; restore(File::read(path).tensors) goes on with the same bits. Error,
  // which names the tensor, where one is missing, has no parameter or another shape; nothing has changed then.
  std::map<std::string, Tensor> tensors() const;
  void restore(const std::map<std::string, Tensor>& tensors);

 private:
  std::shared_ptr<detail::MovingAverageState> state_;
};

}  // namespace optim
}  // namespace espalier
