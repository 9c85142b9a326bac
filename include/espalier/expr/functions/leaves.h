// Leaves. They take the Graph as their first argument, because they have no Expr argument that determines it.
#pragma once
#include <span>

#include <espalier/expr/expr.h>
#include <espalier/expr/graph.h>

namespace espalier {

ESPALIER_API Expr input(Graph& g, std::span<const float> data, Shape shape, ESPALIER_AT);
ESPALIER_API Expr input(Graph& g, float value, ESPALIER_AT);
ESPALIER_API Expr zeros(Graph& g, Shape shape, ESPALIER_AT);
ESPALIER_API Expr ones(Graph& g, Shape shape, ESPALIER_AT);
ESPALIER_API Expr full(Graph& g, Shape shape, float value, ESPALIER_AT);
ESPALIER_API Expr one_hot(Graph& g, int n, Index index, ESPALIER_AT);
ESPALIER_API Expr row(Graph& g, const Parameter& p, ESPALIER_AT);  // a parameter as a row
ESPALIER_API Expr lookup(Graph& g, const Lookup& table, Index index, ESPALIER_AT);
ESPALIER_API Expr lookup(const Lookup& table, Index index, ESPALIER_AT);  // inside a cell
ESPALIER_API Expr one_hot(int n, Index index, ESPALIER_AT);               // inside a cell

}  // namespace espalier
