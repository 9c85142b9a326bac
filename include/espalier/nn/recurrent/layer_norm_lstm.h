// An LSTM with layer normalisation.
#pragma once
#include <espalier/nn/recurrent/recurrent.h>

namespace espalier::nn {

// Ba et al. 2016, eq. 20-22, where N(z; α) is z with mean 0 and variance 1, times α; PyTorch's order i, f, g, o:
//   i, f, o = σ(N(W x; α) + N(U h; β) + b), g = tanh(N(W x; α) + N(U h; β) + b)
//   c' = f c + i g, h' = o tanh(N(c'; γ) + d)
// weight_ih = W [4h, in], weight_hh = U [4h, h], bias = b [4h] (the sum of the paper's three biases),
// norm_ih.weight = α and norm_hh.weight = β [4h], norm_c.weight = γ and norm_c.bias = d [h]. The forget bias starts
// at 1.
struct ESPALIER_API LayerNormLSTM : Recurrent<LayerNormLSTM> {
  Parameter weight_ih, weight_hh, bias, norm_ih, norm_hh, norm_c, norm_c_bias;
  Cell<State(Expr)> first;
  Cell<State(Expr, State)> next;
  LayerNormLSTM(Scope scope, int in, int hidden);
  State operator()(Expr x, const State& before = {}, ESPALIER_AT) const;
};

}  // namespace espalier::nn
