// Random functions. The values drawn depend on (seed, epoch, example, call, element), never on the batch.
#pragma once
#include <espalier/expr/expr.h>
#include <espalier/expr/graph.h>

namespace espalier {

// ---- in training only; otherwise the identity
ESPALIER_API Expr dropout(Expr x, float p, ESPALIER_AT);                  // one draw per element
ESPALIER_API Expr dropout_axis(Expr x, float p, int axis, ESPALIER_AT);   // one draw for all elements along the axis
ESPALIER_API Expr dropout_row(Expr x, float p, ESPALIER_AT);              // one draw for all of x
ESPALIER_API Expr dropout_block(Expr x, float p, int size, ESPALIER_AT);  // one draw per `size` adjacent elements
ESPALIER_API Expr gaussian_noise(Expr x, float sd, ESPALIER_AT);          // x + N(0, sd²)

// ---- random rows, in training and inference: recorded in g, or in the graph or cell of `like`, without reading `like`
ESPALIER_API Expr random_normal(Graph& g, Shape shape, float mean = 0, float sd = 1, ESPALIER_AT);
ESPALIER_API Expr random_normal(Expr like, Shape shape, float mean = 0, float sd = 1, ESPALIER_AT);
ESPALIER_API Expr random_uniform(Graph& g, Shape shape, float lo = 0, float hi = 1, ESPALIER_AT);
ESPALIER_API Expr random_uniform(Expr like, Shape shape, float lo = 0, float hi = 1, ESPALIER_AT);
ESPALIER_API Expr random_bernoulli(Graph& g, Shape shape, float p = 0.5f, float value = 1, ESPALIER_AT);
ESPALIER_API Expr random_bernoulli(Expr like, Shape shape, float p = 0.5f, float value = 1, ESPALIER_AT);
ESPALIER_API Expr random_gumbel(Graph& g, Shape shape, float place = 0, float scale = 1, ESPALIER_AT);
ESPALIER_API Expr random_gumbel(Expr like, Shape shape, float place = 0, float scale = 1, ESPALIER_AT);

}  // namespace espalier
