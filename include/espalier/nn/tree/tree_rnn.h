// Recursive networks over binary trees. Leaves and inner nodes have rows of the same size.
#pragma once
#include <espalier/expr/cell.h>

namespace espalier::nn {

// Socher et al. 2011, eq. 2: p = tanh(W [l; r] + b). weight [h, 2h], bias [h].
struct ESPALIER_API TreeRNN {
  Parameter weight, bias;
  Cell<Expr(Expr, Expr)> node;
  TreeRNN(Scope scope, int hidden);
};

// Socher et al. 2013, section 4.3: p = tanh(xᵀ V x + W x + b) with x = [l; r]; each slice of V yields one element of
// xᵀ V x. tensor = V [h, 2h, 2h], weight [h, 2h], bias [h].
struct ESPALIER_API RNTN {
  Parameter tensor, weight, bias;
  Cell<Expr(Expr, Expr)> node;
  RNTN(Scope scope, int hidden);
};

// A word or phrase of MVRNN: its vector, and the matrix that transforms its neighbour.
struct MatrixVector {
  Expr vector, matrix;  // [h], [h, h]
};

// Socher et al. 2012, eq. 2 and 3: the parent of (a, A) and (b, B) is p = tanh(W [B a; A b]) and P = M [A; B].
// weight = W [h, 2h], matrix_weight = M [h, 2h]. Words have vectors [words, h] and matrices [words, h, h], initially
// the identity.
struct ESPALIER_API MVRNN {
  Parameter weight, matrix_weight;
  Lookup vectors, matrices;
  Cell<MatrixVector(Index)> leaf;
  Cell<MatrixVector(Expr, Expr, Expr, Expr)> cell;  // a, A, b, B
  MVRNN(Scope scope, int words, int hidden);
  MatrixVector node(const MatrixVector& l, const MatrixVector& r, ESPALIER_AT) const;
};

}  // namespace espalier::nn
