// CustomOp: calls a user-defined op. const CustomOp<Softclip> softclip; y = softclip({x}, {.limit = 2});
#pragma once
#include <initializer_list>

#include <espalier/expr/expr.h>
#include <espalier/op/custom.h>

namespace espalier {

namespace detail {
ESPALIER_API Expr call_op(const OpInfo& op, std::span<const Operand> operands, const ErasedAttrs& attrs, Where at);
}

template <class Op>
class CustomOp {
 public:
  Expr operator()(std::initializer_list<Operand> in, const typename Op::Attrs& attrs = {}, ESPALIER_AT) const {
    return detail::call_op(custom_op<Op>(), {in.begin(), in.size()}, detail::erase_numbers(attrs), at);
  }
};

}  // namespace espalier
