// An LSTM with variational dropout: the same elements are dropped at every step.
#pragma once
#include <espalier/nn/recurrent/recurrent.h>

namespace espalier::nn {

struct VariationalState {
  Expr h, c;
  Expr x_mask, h_mask;  // drawn at the first step, once per sequence
};
inline Expr output(const VariationalState& s) { return s.h; }

// Gal & Ghahramani 2016, the LSTM with tied weights: an LSTM that reads m x and n h instead of x and h. The elements of
// the masks m and n are 0 with probability p, else 1 / (1 - p), drawn once per sequence; all are 1 outside training.
// Parameters as in LSTM.
struct ESPALIER_API VariationalLSTM : Recurrent<VariationalLSTM> {
  struct Masks {
    Expr x, h;
  };
  Parameter weight_ih, weight_hh, bias;
  Cell<Masks(Expr, Number)> draw;
  Cell<State(Expr, Expr)> first;              // x, x_mask
  Cell<State(Expr, State, Expr, Expr)> next;  // x, state, x_mask, h_mask
  VariationalLSTM(Scope scope, int in, int hidden, float p = 0.5f);
  VariationalState operator()(Expr x, const VariationalState& before = {}, ESPALIER_AT) const;
};

}  // namespace espalier::nn
