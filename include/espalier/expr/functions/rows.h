// Functions of any number of rows: calls with different numbers still run together, at a cost of the total of rows.
#pragma once
#include <initializer_list>
#include <span>

#include <espalier/expr/expr.h>

namespace espalier {

// Outside a cell, of a list of rows; inside, of so many rows.
ESPALIER_API Expr sum(std::span<const Expr> rows, ESPALIER_AT);
ESPALIER_API Expr mean(std::span<const Expr> rows, ESPALIER_AT);
ESPALIER_API Expr max(std::span<const Expr> rows, ESPALIER_AT);
ESPALIER_API Expr min(std::span<const Expr> rows, ESPALIER_AT);
ESPALIER_API Expr logsumexp(std::span<const Expr> rows, ESPALIER_AT);
// The same of rows that are written down: sum({a, b, c}).
ESPALIER_API Expr sum(std::initializer_list<Operand> rows, ESPALIER_AT);
ESPALIER_API Expr mean(std::initializer_list<Expr> rows, ESPALIER_AT);
ESPALIER_API Expr max(std::initializer_list<Expr> rows, ESPALIER_AT);
ESPALIER_API Expr min(std::initializer_list<Expr> rows, ESPALIER_AT);
ESPALIER_API Expr logsumexp(std::initializer_list<Expr> rows, ESPALIER_AT);

// Over a Many, inside a cell: every other function maps over its rows, a plain row beside them is repeated; these come
// back to one row (softmax_rows stays a list). Of no rows: sum and mean are 0, max, min and logsumexp an IndexError at
// the call.
ESPALIER_API Expr sum_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr mean_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr max_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr min_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr logsumexp_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr softmax_rows(Expr rows, ESPALIER_AT);
// Σ_k softmax_k(query·key_k / √d) value_k; of no rows, 0.
ESPALIER_API Expr attention(Expr query, Expr keys, Expr values, ESPALIER_AT);
ESPALIER_API bool over_rows(Expr x);  // whether x stands for the rows of a Many

}  // namespace espalier
