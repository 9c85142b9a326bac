// The op functions. Names and order of arguments as in torch.nn.functional; W is [out, in]; * is element-wise. Two
// shapes are equal, or one is a scalar, or say broadcast(). Inside a cell they become part of its program, outside each
// is one call. A shape error names the user's line. Nothing is recorded when a function throws.
#pragma once
#include <array>
#include <optional>
#include <span>

#include <espalier/expr/expr.h>
#include <espalier/expr/graph.h>
#include <espalier/op/list.h>

namespace espalier {

ESPALIER_API Expr operator+(Operand a, Operand b);
ESPALIER_API Expr operator-(Operand a, Operand b);
ESPALIER_API Expr operator*(Operand a, Operand b);
ESPALIER_API Expr operator/(Operand a, Operand b);
ESPALIER_API Expr operator-(Operand a);

#define ESPALIER_DECLARE(name, Op) ESPALIER_API Expr name(Expr x, ESPALIER_AT);
ESPALIER_UNARY_OPS(ESPALIER_DECLARE)
#undef ESPALIER_DECLARE
#define ESPALIER_DECLARE(name, Op, attribute, otherwise) \
  ESPALIER_API Expr name(Expr x, float attribute = otherwise, ESPALIER_AT);
ESPALIER_UNARY_OPS_1(ESPALIER_DECLARE)
#undef ESPALIER_DECLARE

// ---- products: W a Parameter is shared by all calls (one large product); W a row is one small product per call
ESPALIER_API Expr linear(Expr x, Operand W, std::optional<Operand> b = {}, ESPALIER_AT);  // W x + b
ESPALIER_API Expr matmul(Operand a, Operand b, ESPALIER_AT);                              // matrices or vectors
ESPALIER_API Expr dot(Operand a, Operand b);

// ---- along an axis; -1 is the last
ESPALIER_API Expr softmax(Expr x, int axis = -1, ESPALIER_AT);
ESPALIER_API Expr log_softmax(Expr x, int axis = -1, ESPALIER_AT);
ESPALIER_API Expr sum_axis(Expr x, int axis, ESPALIER_AT);
ESPALIER_API Expr mean_axis(Expr x, int axis, ESPALIER_AT);
ESPALIER_API Expr broadcast(Expr x, int axis, int n, ESPALIER_AT);  // n times along a new axis
ESPALIER_API Expr sum_elements(Expr x, ESPALIER_AT);
ESPALIER_API Expr mean_elements(Expr x, ESPALIER_AT);
ESPALIER_API Expr concat(Operand a, Operand b);
ESPALIER_API Expr concat(Operand a, Operand b, Operand c);
ESPALIER_API Expr concat(Operand a, Operand b, Operand c, Operand d);
ESPALIER_API Expr concat(std::span<const Expr> rows, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr slice(Expr x, int begin, int end, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr pad(Expr x, int before, int after, int axis = 0, ESPALIER_AT);
ESPALIER_API Expr reshape(Expr x, Shape shape, ESPALIER_AT);
ESPALIER_API Expr transpose(Expr x, ESPALIER_AT);

namespace detail {
ESPALIER_API Expr part(Expr x, int k, int n, int axis, Where at);
}
// N equal parts: auto [i, f, g, o] = split<4>(gates);
template <size_t N>
std::array<Expr, N> split(Expr x, int axis = 0, ESPALIER_AT) {
  std::array<Expr, N> parts;
  for (size_t k = 0; k < N; ++k) parts[k] = detail::part(x, static_cast<int>(k), static_cast<int>(N), axis, at);
  return parts;
}

// ---- with an integer of the call
ESPALIER_API Expr pick(Expr x, Index index, ESPALIER_AT);  // x[index], along the first axis
ESPALIER_API Expr cross_entropy(Expr logits, Index target, ESPALIER_AT);

// ---- losses and noise
ESPALIER_API Expr mse_loss(Operand x, Operand target);  // mean of squares
ESPALIER_API Expr dropout(Expr x, float p, ESPALIER_AT);

// ---- of any number of rows, outside a cell: calls with different numbers still run together
ESPALIER_API Expr sum(std::span<const Expr> rows, ESPALIER_AT);
ESPALIER_API Expr mean(std::span<const Expr> rows, ESPALIER_AT);

// ---- over a Many, inside a cell: every op above maps over its rows, a plain row beside them is repeated; these come
// back to one row (softmax_rows stays a list). Of no rows: sum and mean are 0, max is an IndexError at the call.
ESPALIER_API Expr sum_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr mean_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr max_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr softmax_rows(Expr rows, ESPALIER_AT);
ESPALIER_API bool over_rows(Expr x);  // whether x stands for the rows of a Many

// ---- leaves: only these need the graph, always first, for they have no Expr to take it from
ESPALIER_API Expr input(Graph& g, std::span<const float> data, Shape shape, ESPALIER_AT);
ESPALIER_API Expr input(Graph& g, float value, ESPALIER_AT);
ESPALIER_API Expr zeros(Graph& g, Shape shape, ESPALIER_AT);
ESPALIER_API Expr full(Graph& g, Shape shape, float value, ESPALIER_AT);
ESPALIER_API Expr one_hot(Graph& g, int n, Index index, ESPALIER_AT);
ESPALIER_API Expr row(Graph& g, const Parameter& p, ESPALIER_AT);  // a parameter as a row
ESPALIER_API Expr lookup(Graph& g, const Lookup& table, Index index, ESPALIER_AT);
ESPALIER_API Expr lookup(const Lookup& table, Index index, ESPALIER_AT);  // inside a cell
ESPALIER_API Expr one_hot(int n, Index index, ESPALIER_AT);               // inside a cell

}  // namespace espalier
