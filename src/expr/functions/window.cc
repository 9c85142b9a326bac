#include <espalier/expr/functions/window.h>

#include "expr/functions/function.h"
#include "op/composed/convolution.h"

namespace espalier {
namespace {

Shape numbers(Size2d s, std::string_view name, Where at) {
  if (s.height < 0 || s.width < 0)
    throw ShapeError(std::string(name) + ": " + std::to_string(s.height) + " and " + std::to_string(s.width) +
                     " are given; kernel, stride and padding must not be negative" + str(at));
  return {s.height, s.width};
}
Shape numbers(int n, std::string_view name, Where at) {
  if (n < 0)
    throw ShapeError(std::string(name) + ": " + std::to_string(n) +
                     " is given; kernel, stride and padding must not be negative" + str(at));
  return {n};
}

Expr convolution(Expr x, Operand W, const std::optional<Operand>& b, const op::ConvAttrs& attrs, Where at) {
  return b ? single<op::ConvBias>({x, W, *b}, attrs, at) : single<op::Conv>({x, W}, attrs, at);
}

template <class Op, class Size>
Expr pool(std::string_view name, Expr x, Size kernel, std::optional<Size> stride, Size padding, Where at) {
  return single<Op>(
      {x}, {numbers(kernel, name, at), numbers(stride.value_or(kernel), name, at), numbers(padding, name, at)}, at);
}

}  // namespace

Expr conv1d(Expr x, Operand W, std::optional<Operand> b, int stride, int padding, Where at) {
  return convolution(x, W, b, {numbers(stride, "conv1d", at), numbers(padding, "conv1d", at)}, at);
}
Expr conv2d(Expr x, Operand W, std::optional<Operand> b, Size2d stride, Size2d padding, Where at) {
  return convolution(x, W, b, {numbers(stride, "conv2d", at), numbers(padding, "conv2d", at)}, at);
}

Expr max_pool1d(Expr x, int kernel, std::optional<int> stride, int padding, Where at) {
  return pool<op::MaxPool>("max_pool1d", x, kernel, stride, padding, at);
}
Expr max_pool2d(Expr x, Size2d kernel, std::optional<Size2d> stride, Size2d padding, Where at) {
  return pool<op::MaxPool>("max_pool2d", x, kernel, stride, padding, at);
}
Expr avg_pool1d(Expr x, int kernel, std::optional<int> stride, int padding, Where at) {
  return pool<op::AvgPool>("avg_pool1d", x, kernel, stride, padding, at);
}
Expr avg_pool2d(Expr x, Size2d kernel, std::optional<Size2d> stride, Size2d padding, Where at) {
  return pool<op::AvgPool>("avg_pool2d", x, kernel, stride, padding, at);
}

}  // namespace espalier
