#include <espalier/expr/functions/norm.h>

#include "expr/functions/function.h"
#include "op/composed/norm.h"

namespace espalier {
namespace {

// Broadcasts a vector along all axes of x except the last.
Term along_last(Term vector, Term x, std::string_view who) {
  const Shape shape = x.shape();
  if (vector.shape() != Shape{shape[shape.rank - 1]})
    throw ShapeError(std::string(who) + ": a weight or bias" + str(vector.shape()) + " does not apply to x" +
                     str(shape) + "; it must be [" + std::to_string(shape[shape.rank - 1]) + "], the last size of x");
  for (int axis = shape.rank - 2; axis >= 0; --axis) vector = apply<op::Broadcast>({0, shape[axis]}, {vector});
  return vector;
}

// The op, then an optional weight and an optional bias.
template <class Op>
Expr normalised(Expr x, const std::optional<Operand>& weight, const std::optional<Operand>& bias, float eps, Where at) {
  std::vector<Operand> operands{x};
  if (weight) operands.push_back(*weight);
  if (bias) operands.push_back(*bias);
  const Attrs attrs{static_cast<double>(eps), weight ? 1.0 : 0.0, bias ? 1.0 : 0.0};
  return record_function({Op::doc.name, operands, attrs, at}, [](const Body& f) {
    Term y = apply<Op>({static_cast<float>(f.attrs[0])}, {f[0]});
    size_t next = 1;
    if (f.attrs[1] > 0) y = y * along_last(f[next++], y, Op::doc.name);
    if (f.attrs[2] > 0) y = y + along_last(f[next++], y, Op::doc.name);
    return y;
  });
}

}  // namespace

Expr squared_norm(Expr x, Where at) { return single<op::SquaredNorm>({x}, {}, at); }
Expr l2_norm(Expr x, Where at) { return single<op::L2Norm>({x}, {}, at); }
Expr layer_norm(Expr x, std::optional<Operand> weight, std::optional<Operand> bias, float eps, Where at) {
  return normalised<op::LayerNorm>(x, weight, bias, eps, at);
}
Expr rms_norm(Expr x, std::optional<Operand> weight, float eps, Where at) {
  return normalised<op::RmsNorm>(x, weight, {}, eps, at);
}
Expr weight_norm(Operand w, Operand g) { return single<op::WeightNorm>({w, g}, {}, w.at); }

}  // namespace espalier
