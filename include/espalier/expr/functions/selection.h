// Functions that select or reorder elements along an axis. Axis -1 is the last.
#pragma once
#include <initializer_list>
#include <span>

#include <espalier/expr/expr.h>

namespace espalier {

ESPALIER_API Expr pick(Expr x, Index index, int axis = 0, ESPALIER_AT);  // x[index]; the axis is removed
// The entries at `indices`, in that order, with repeats. Indices are data: calls with different ones batch together.
ESPALIER_API Expr select(Expr x, std::span<const Index> indices, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr select(Expr x, std::span<const int> indices, int axis = 0, ESPALIER_AT);
// x[begin], x[begin + step], …, up to but excluding end. step may be negative: begin n - 1, end -1, step -1 is flip.
ESPALIER_API Expr strided_slice(Expr x, int begin, int end, int step, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr flip(Expr x, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr permute(Expr x, Shape order, ESPALIER_AT);  // axis i of the result is axis order[i] of x
ESPALIER_API Expr stack(std::span<const Expr> rows, int axis = 0, ESPALIER_AT);  // along a new axis
ESPALIER_API Expr stack(std::initializer_list<Operand> rows, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr kmax_pooling(Expr x, int k, int axis = -1, ESPALIER_AT);  // the k largest, in their original order

}  // namespace espalier
