// Multilayer perceptron.
#pragma once
#include <vector>

#include <espalier/nn/activation.h>
#include <espalier/nn/linear.h>

namespace espalier::nn {

// Rumelhart et al. 1986: x_k+1 = f(W_k x_k + b_k); the last layer has no f. `sizes` is {in, hidden, …, out}; parameters
// are named 0.weight, 0.bias, 1.weight, … `dropout` is applied to hidden layers in training.
struct ESPALIER_API MLP {
  static constexpr bool one_cell = true;  // a call records only `cell`, so blocks know its shapes before recording
  std::vector<Linear> layers;
  Cell<Expr(Expr)> cell;
  MLP(Scope scope, const std::vector<int>& sizes, Activation activation = relu, float dropout = 0);
  Expr operator()(Expr x, ESPALIER_AT) const { return cell(x, at); }
};

}  // namespace espalier::nn
