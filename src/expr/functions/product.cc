#include <espalier/expr/functions/product.h>

#include "expr/functions/function.h"
#include "op/composed/contraction.h"

namespace espalier {

namespace {

// Adds the bias b to y, a product with W.
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
                [](const Body& f) { return biased(op::product(f[1], f[0]), f[2], f[1]); });
  }
  if (!b) return single<op::Linear>({x, W}, {}, at);
  return make("linear", {x, W, *b}, {}, at,
              [](const Body& f) { return biased(apply<op::Linear>({}, {f[0], f[1]}), f[2], f[1]); });
}

Expr matmul(Operand a, Operand b, Where at) {
  return make("matmul", {a, b}, {}, at, [](const Body& f) { return op::product(f[0], f[1]); });
}

Expr dot(Operand a, Operand b) { return single<op::Dot>({a, b}, {}, a.at); }
Expr outer(Operand a, Operand b) { return single<op::Outer>({a, b}, {}, a.at); }
Expr trace_of_product(Operand a, Operand b) { return single<op::TraceOfProduct>({a, b}, {}, a.at); }
Expr add_columns(Operand x, Operand b) { return single<op::AddColumns>({x, b}, {}, x.at); }
Expr bilinear(Operand a, Operand b, Operand W) { return single<op::Bilinear>({a, b, W}, {}, a.at); }
Expr affine(Operand b, std::initializer_list<std::pair<Operand, Operand>> products, Where at) {
  std::vector<Operand> operands{b};
  for (const auto& [W, x] : products) operands.insert(operands.end(), {W, x});
  return record_function({op::Affine::doc.name, operands, {}, at}, one_op<op::Affine>);
}

}  // namespace espalier
