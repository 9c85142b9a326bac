#include <espalier/expr/custom.h>

#include "expr/functions/function.h"

namespace espalier::detail {

Expr call_op(const OpInfo& op, std::span<const Operand> operands, const ErasedAttrs& attrs, Where at) {
  if (operands.size() != op.inputs.size())
    throw ShapeError(std::string(op.doc.name) + ": " + std::to_string(operands.size()) +
                     " operands are given; it takes " + std::to_string(op.inputs.size()) + str(at));
  return record_function({op.doc.name, operands, attrs, at}, op_of_that_name);
}

}  // namespace espalier::detail
