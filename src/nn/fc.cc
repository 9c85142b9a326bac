#include <espalier/nn/fc.h>

namespace espalier::nn {

FC::FC(Scope p, int in, int out, const FCOptions& options)
    : linear(p, in, out),
      norm_weight(options.layer_norm ? (p / "norm").add("weight", {out}, init::constant(1)) : Parameter()),
      norm_bias(options.layer_norm ? (p / "norm").add("bias", {out}, init::constant(0)) : Parameter()),
      cell(p.cell("fc", {{in}}, [&](Expr x) {
        x = linear(options.dropout > 0 ? dropout(x, options.dropout) : x);
        if (norm_weight) x = layer_norm(x, norm_weight, norm_bias);
        return options.activation != nullptr ? options.activation(x, Where::here()) : x;
      })) {}

}  // namespace espalier::nn
