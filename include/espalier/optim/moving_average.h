// The exponential moving average of parameters over a training (Polyak and Juditsky 1992), which often evaluates better
// than the parameters themselves.
#pragma once
#include <map>
#include <memory>
#include <string>

#include <espalier/param/parameters.h>

namespace espalier {
namespace detail {
class MovingAverageState;
}

namespace optim {

// A handle; a copy shares. The average of a parameter begins at its value when it is first seen: here, or, of one made
// later, in the first update after it. Every update goes over all numbers of all parameters, tables too (a row that has
// not changed still moves its average): O(numbers), and as much memory as the parameters.
class ESPALIER_API MovingAverage {
 public:
  explicit MovingAverage(Parameters& params, float decay = 0.999f);  // Error unless 0 ≤ decay < 1

  void update();  // after a step: average = decay · average + (1 - decay) · value

  // The averages take the place of the values, to evaluate or save them; and back, to the same bits. Error where they
  // are there already, or are not; update and restore are an Error while they are in. No step of an optimiser between.
  void swap_in();
  void swap_out();

  // The averages by the names of their parameters, swapped in or not. `io::File{average.tensors()}.write(path)` makes a
  // file that loads as parameters, too; restore(File::read(path).tensors) goes on with the same bits. Error, which
  // names the tensor, where one is missing, has no parameter or another shape; nothing has changed then.
  std::map<std::string, Tensor> tensors() const;
  void restore(const std::map<std::string, Tensor>& tensors);

 private:
  std::shared_ptr<detail::MovingAverageState> state_;
};

}  // namespace optim
}  // namespace espalier
