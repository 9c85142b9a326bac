// Long short-term memory, and its variant with coupled input and forget gates.
#pragma once
#include <espalier/nn/recurrent/recurrent.h>

namespace espalier::nn {

// Hochreiter & Schmidhuber 1997 with forget gates (Gers et al. 2000), PyTorch's order i, f, g, o:
//   i, f, o = σ(W x + U h + b), g = tanh(W x + U h + b), c' = f c + i g, h' = o tanh(c')
// weight_ih [4h, in], weight_hh [4h, h], bias [4h]; the forget bias starts at 1. The first step has no recurrent term.
struct ESPALIER_API LSTM : Recurrent<LSTM> {
  Parameter weight_ih, weight_hh, bias;
  Cell<State(Expr)> first;
  Cell<State(Expr, State)> next;
  LSTM(Scope scope, int in, int hidden);
  State operator()(Expr x, const State& before = {}, ESPALIER_AT) const;  // copy a State to fork the sequence
};

// Greff et al. 2017, "CIFG": the input and forget gates are coupled, f = 1 - i; gates in the order i, g, o:
//   i, o = σ(W x + U h + b), g = tanh(W x + U h + b), c' = (1 - i) c + i g, h' = o tanh(c')
// weight_ih [3h, in], weight_hh [3h, h], bias [3h].
struct ESPALIER_API CoupledLSTM : Recurrent<CoupledLSTM> {
  Parameter weight_ih, weight_hh, bias;
  Cell<State(Expr)> first;
  Cell<State(Expr, State)> next;
  CoupledLSTM(Scope scope, int in, int hidden);
  State operator()(Expr x, const State& before = {}, ESPALIER_AT) const;
};

}  // namespace espalier::nn
