// Functions that change the shape. Axis -1 is the last.
#pragma once
#include <array>
#include <initializer_list>
#include <span>

#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr broadcast(Expr x, int axis, int n, ESPALIER_AT);  // repeats x n times along a new axis
// Concatenates along an axis; a scalar counts as one element.
ESPALIER_API Expr concat(Operand a, Operand b);
ESPALIER_API Expr concat(Operand a, Operand b, Operand c);
ESPALIER_API Expr concat(Operand a, Operand b, Operand c, Operand d);
ESPALIER_API Expr concat(std::span<const Expr> rows, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr concat(std::initializer_list<Operand> rows, int axis = 0, ESPALIER_AT);  // concat({a, b, W}, 1)
ESPALIER_API Expr slice(Expr x, int begin, int end, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr pad(Expr x, int before, int after, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr reshape(Expr x, Shape shape, ESPALIER_AT);
// One size may be -1 and is derived from the number of elements: reshape(x, {2, -1})
ESPALIER_API Expr reshape(Expr x, std::initializer_list<int> sizes, ESPALIER_AT);
ESPALIER_API Expr transpose(Expr x, ESPALIER_AT);

namespace detail {
ESPALIER_API Expr part(Expr x, int k, int n, int axis, Where at);
}
// Splits x into N equal parts: auto [i, f, g, o] = split<4>(gates);
template <size_t N>
std::array<Expr, N> split(Expr x, int axis = 0, ESPALIER_AT) {
  std::array<Expr, N> parts;
  for (size_t k = 0; k < N; ++k) parts[k] = detail::part(x, static_cast<int>(k), static_cast<int>(N), axis, at);
  return parts;
}

}  // namespace espalier
