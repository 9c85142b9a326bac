#include <espalier/nn/layer_norm.h>

#include "nn/normalised.h"

namespace espalier::nn {

LayerNorm::LayerNorm(Scope p, int dim, float eps)
    : weight(p.add("weight", {dim}, init::constant(1))),
      bias(p.add("bias", {dim}, init::constant(0))),
      cell(p.cell("layer_norm", {{dim}}, [&](Expr x) { return normalised(x, eps) * weight + bias; })) {}

}  // namespace espalier::nn
