// Bottom-up Tree-LSTMs with two ordered children, or with any number of unordered children.
#pragma once
#include <espalier/nn/recurrent/recurrent.h>

namespace espalier::nn {

// Tai et al. 2015, binary (N = 2). Leaf: i, o, u = W x + b. Node: i, o, u = U [l.h; r.h] + b, and one forget gate per
// child: fl, fr = σ(Uf [l.h; r.h] + bf). c = i u + fl l.c + fr r.c, h = o tanh(c). Leaves and nodes share the biases of
// i, o, u; the forget bias starts at 1.
struct ESPALIER_API TreeLSTM {
  Parameter W, U, Uf, b, bf;
  Cell<State(Expr)> leaf;
  Cell<State(State, State)> node;
  TreeLSTM(Scope scope, int in, int hidden);
};

// Tai et al. 2015, eq. 2-8: any number of children, one forget gate per child.
struct ESPALIER_API ChildSumTreeLSTM {
  Parameter W, U, Wf, Uf, b, bf;
  Cell<State(Expr, Many<State>)> node;
  ChildSumTreeLSTM(Scope scope, int in, int hidden);
};

}  // namespace espalier::nn
