#include <espalier/expr/functions/product.h>

#include "expr/functions/function.h"
#include "op/axis.h"
#include "op/product.h"

namespace espalier {

namespace {

// Matrices or vectors; a parameter times a vector is the product that all calls share.
Term product(Builder& build, Term x, Term y) {
  if (build.is_parameter(x.node) && y.shape().rank == 1) return apply<op::Linear>({}, {y, x});
  const bool row = x.shape().rank == 1, column = y.shape().rank == 1;
  if (row) x = apply<op::Reshape>({{1, x.shape()[0]}}, {x});
  if (column) y = apply<op::Reshape>({{y.shape()[0], 1}}, {y});
  const Term z = apply<op::Matmul>({}, {x, y});
  if (!row && !column) return z;
  return apply<op::Reshape>({row && column ? Shape{} : Shape{z.shape()[row ? 1 : 0]}}, {z});
}

// The bias of a product with W.
Term biased(Term y, Term b, Term W) {
  const int n = y.shape().rank == 0 ? 1 : y.shape()[y.shape().rank - 1];
  if (b.shape() != Shape{n})
    throw ShapeError("linear: b" + str(b.shape()) + " must be [" + std::to_string(n) + "], the rows of W" +
                     str(W.shape()));
  return y + (y.shape().rank == 2 ? apply<op::Broadcast>({0, y.shape()[0]}, {b}) : b);
}

}  // namespace

Expr linear(Expr x, Operand W, std::optional<Operand> b, Where at) {
  if (W.kind != Operand::Kind::parameter) {
    if (!b) return matmul(W, x, at);
    return make("linear", {x, W, *b}, {}, at,
                [](const Body& f) { return biased(product(f.build, f[1], f[0]), f[2], f[1]); });
  }
  if (!b) return single<op::Linear>({x, W}, {}, at);
  return make("linear", {x, W, *b}, {}, at,
              [](const Body& f) { return biased(apply<op::Linear>({}, {f[0], f[1]}), f[2], f[1]); });
}

Expr matmul(Operand a, Operand b, Where at) {
  return make("matmul", {a, b}, {}, at, [](const Body& f) { return product(f.build, f[0], f[1]); });
}

Expr dot(Operand a, Operand b) {
  return make("dot", {a, b}, {}, a.at, [](const Body& f) {
    if (f[0].shape() != f[1].shape())
      throw ShapeError("dot: a" + str(f[0].shape()) + " and b" + str(f[1].shape()) +
                       " differ; the shapes must be equal");
    return apply<op::SumElements>({}, {f[0] * f[1]});
  });
}

}  // namespace espalier
