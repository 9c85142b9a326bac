#include <espalier/nn/layer_norm.h>

namespace espalier::nn {

LayerNorm::LayerNorm(Scope p, int dim, float small)
    : weight(p.add("weight", {dim}, init::constant(1))),
      bias(p.add("bias", {dim}, init::constant(0))),
      eps(small),
      cell(p.cell("layer_norm", {{dim}}, [&](Expr x) { return layer_norm(x, weight, bias, eps); })) {}

}  // namespace espalier::nn
