// A table of embedding vectors.
#pragma once
#include <espalier/expr/cell.h>

namespace espalier::nn {

// Returns row `index` of weight [rows, dim].
struct ESPALIER_API Embedding {
  static constexpr bool one_cell = true;  // a call records only `cell`, so blocks know its shapes before recording
  Lookup weight;
  Cell<Expr(Index)> cell;
  Embedding(Scope scope, int rows, int dim, Init how = init::normal(0, 0.1f));
  Expr operator()(Graph& g, Index index, ESPALIER_AT) const;
};

}  // namespace espalier::nn
