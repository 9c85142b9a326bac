#include <espalier/expr/functions/loss.h>

#include "expr/functions/function.h"
#include "op/axis.h"
#include "op/indexed.h"

namespace espalier {

Expr cross_entropy(Expr logits, Index target, Where at) { return single<op::CrossEntropy>({logits}, {}, at, &target); }

Expr mse_loss(Operand x, Operand target) {
  return make("mse_loss", {x, target}, {}, x.at, [](const Body& f) {
    const Term d = f[0] - f[1];
    return apply<op::SumElements>({}, {d * d}) * (1.0 / static_cast<double>(std::max<int64_t>(d.shape().size(), 1)));
  });
}

}  // namespace espalier
