// Layer normalisation.
#pragma once
#include <espalier/expr/cell.h>
#include <espalier/expr/functions/norm.h>

namespace espalier::nn {

// Ba et al. 2016, eq. 4, as in PyTorch: y = (x - mean) / √(variance + eps) · weight + bias, along the last axis of x,
// which has `dim` elements. weight [dim], bias [dim].
struct ESPALIER_API LayerNorm {
  Parameter weight, bias;
  float eps;
  Cell<Expr(Expr)> cell;  // for an x of shape [dim]
  LayerNorm(Scope scope, int dim, float eps = 1e-5f);
  Expr operator()(Expr x, ESPALIER_AT) const {
    return x && x.shape().rank != 1 ? layer_norm(x, weight, bias, eps, at) : cell(x, at);
  }
};

}  // namespace espalier::nn
