#include <espalier/expr/functions/sparsemax.h>

#include "expr/functions/function.h"
#include "op/composed/masked.h"
#include "op/kernel/indexed.h"
#include "op/kernel/sparsemax.h"

namespace espalier {

Expr sparsemax(Expr x, int axis, Where at) { return single<op::Sparsemax>({x}, {axis_of(x, axis)}, at); }
Expr sparsemax_loss(Expr x, Operand target, Where at) { return single<op::SparsemaxLoss>({x, target}, {}, at); }
Expr constrained_softmax(Expr x, Operand bounds, Where at) {
  return single<op::ConstrainedSoftmax>({x, bounds}, {}, at);
}
Expr masked_log_softmax(Expr x, Operand mask, int axis, Where at) {
  return single<op::MaskedLogSoftmax>({x, mask}, {axis_of(x, axis)}, at);
}

Expr log_softmax(Expr x, std::span<const int> support, Where at) {
  if (!x) throw GraphError("log_softmax: an empty Expr is given; a value is needed" + str(at));
  if (is_traced(x))
    throw GraphError(
        "log_softmax: a support cannot be used inside a cell; pass the cell a mask and use masked_log_softmax" +
        str(at));
  GraphTape& tape = graph_of(x, "log_softmax", at);
  const Shape shape = tape.shape(recorded_value(tape, x, "log_softmax", at));
  if (shape.rank != 1)
    throw ShapeError("log_softmax: x" + str(shape) + "; with a support x must be a vector" + str(at));
  for (int i : support)
    if (i < 0 || i >= shape[0])
      throw IndexError("log_softmax: support index " + std::to_string(i) + " of x" + str(shape) +
                       " is out of range; it must be 0…" + std::to_string(shape[0] - 1) + str(at));
  const GraphTape::Mark before = tape.mark();
  const Index offset(tape.next_data(static_cast<size_t>(shape[0]), at));
  const size_t first = tape.data.size();
  tape.data.resize(first + static_cast<size_t>(shape[0]), 0.f);
  for (int i : support) tape.data[first + static_cast<size_t>(i)] = 1;
  try {
    const Attrs attrs = erase(op::ShapeAttrs{shape});
    const FunctionCall mask{op::InputRow::doc.name, {}, attrs, at, {&offset, 1}, &tape};
    return masked_log_softmax(x, record_function(mask, one_op<op::InputRow>), -1, at);
  } catch (...) {
    tape.revert(before);
    throw;
  }
}

}  // namespace espalier
