#include <espalier/nn/linear.h>

namespace espalier::nn {

Linear::Linear(Scope p, int in, int out, bool with_bias)
    : weight(p.add("weight", {out, in})),
      bias(with_bias ? p.add("bias", {out}, init::constant(0)) : Parameter()),
      cell(p.cell("linear", {{in}}, [&](Expr x) -> Expr {
        if (with_bias) return linear(x, weight, bias);
        return linear(x, weight);
      })) {}

Expr Linear::operator()(Expr x, Where at) const {
  // The cell takes one vector. For the rows of a Many, or for a matrix, the op itself is recorded.
  if (x && x.shape().rank == 1 && !over_rows(x)) return cell(x, at);
  if (bias) return linear(x, weight, Operand(bias, at), at);
  return linear(x, weight, {}, at);
}

}  // namespace espalier::nn
