// An LSTM that drops the same elements at every step.
#pragma once
#include <espalier/nn/recurrent/recurrent.h>

namespace espalier::nn {

struct VariationalState {
  Expr h, c;
  Expr x_mask, h_mask;  // drawn at the first step, then carried: one of each per sequence
};
inline Expr output(const VariationalState& s) { return s.h; }

// Gal & Ghahramani 2016, the LSTM with tied weights: an LSTM of m x and n h in the place of x and h, where
// the elements of m and n are 0 with probability p and 1 / (1 - p) otherwise, drawn once for a sequence; all are 1
// outside training. Parameters as in LSTM.
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
