// Modules: plain structs of parameters and cells. Constructed in a Scope, called const, copied to share.
#pragma once
#include <span>
#include <vector>

#include <espalier/expr/cell.h>
#include <espalier/expr/functions.h>
#include <espalier/param/parameters.h>

namespace espalier::nn {

// y = W x + b. weight [out, in], bias [out].
struct ESPALIER_API Linear {
  Parameter weight, bias;
  Cell<Expr(Expr)> cell;
  Linear(Scope scope, int in, int out, bool with_bias = true);
  Expr operator()(Expr x, ESPALIER_AT) const;  // inside a cell it maps over the rows of a Many, too
};

// Row `index` of weight [rows, dim].
struct ESPALIER_API Embedding {
  Lookup weight;
  Cell<Expr(Index)> cell;
  Embedding(Scope scope, int rows, int dim, Init how = init::normal(0, 0.1f));
  Expr operator()(Graph& g, Index index, ESPALIER_AT) const;
};

struct State {
  Expr h, c;
};

// Hochreiter & Schmidhuber 1997 with forget gates, PyTorch's order i, f, g, o:
//   i, f, o = σ(W x + U h + b), g = tanh(W x + U h + b), c' = f c + i g, h' = o tanh(c')
// weight_ih [4h, in], weight_hh [4h, h], bias [4h]; the forget bias starts at 1. No recurrent term at the first step.
struct ESPALIER_API LSTM {
  Parameter weight_ih, weight_hh, bias;
  Cell<State(Expr)> first;
  Cell<State(Expr, State)> next;
  LSTM(Scope scope, int in, int hidden);
  State operator()(Expr x, const State& before = {}, ESPALIER_AT) const;  // fork a State by copying it
  std::vector<Expr> run(std::span<const Expr> xs, ESPALIER_AT) const;     // h of every step
};

// Two LSTMs, one from each end: [forward; backward] at every step.
struct ESPALIER_API BiLSTM {
  LSTM forward, backward;
  BiLSTM(Scope scope, int in, int hidden);
  std::vector<Expr> operator()(std::span<const Expr> xs, ESPALIER_AT) const;
};

// Tai et al. 2015, binary (N = 2). Leaf: i, o, u = W x + b. Node: i, o, u = U [l.h; r.h] + b, and a forget gate for
// each side from both: f = σ(Uf [l.h; r.h] + bf). c = i u + fl l.c + fr r.c, h = o tanh(c). The biases of i, o, u are
// shared by leaves and nodes; the forget bias starts at 1.
struct ESPALIER_API TreeLSTM {
  Parameter W, U, Uf, b, bf;
  Cell<State(Expr)> leaf;
  Cell<State(State, State)> node;
  TreeLSTM(Scope scope, int in, int hidden);
};

// Tai et al. 2015, eq. 2-8: any number of children, one forget gate for each.
struct ESPALIER_API ChildSumTreeLSTM {
  Parameter W, U, Wf, Uf, b, bf;
  Cell<State(Expr, Many<State>)> node;
  ChildSumTreeLSTM(Scope scope, int in, int hidden);
};

}  // namespace espalier::nn
