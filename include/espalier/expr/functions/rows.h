// Functions of any number of rows. Calls with different numbers of rows batch together; the cost is O(total rows).
#pragma once
#include <initializer_list>
#include <span>

#include <espalier/expr/expr.h>

namespace espalier {

// Outside a cell, one call over all rows; inside a cell, the number of rows is fixed by the trace.
ESPALIER_API Expr sum(std::span<const Expr> rows, ESPALIER_AT);
ESPALIER_API Expr mean(std::span<const Expr> rows, ESPALIER_AT);
ESPALIER_API Expr max(std::span<const Expr> rows, ESPALIER_AT);
ESPALIER_API Expr min(std::span<const Expr> rows, ESPALIER_AT);
ESPALIER_API Expr logsumexp(std::span<const Expr> rows, ESPALIER_AT);
// The same for an initializer list: sum({a, b, c}).
ESPALIER_API Expr sum(std::initializer_list<Operand> rows, ESPALIER_AT);
ESPALIER_API Expr mean(std::initializer_list<Expr> rows, ESPALIER_AT);
ESPALIER_API Expr max(std::initializer_list<Expr> rows, ESPALIER_AT);
ESPALIER_API Expr min(std::initializer_list<Expr> rows, ESPALIER_AT);
ESPALIER_API Expr logsumexp(std::initializer_list<Expr> rows, ESPALIER_AT);

// Inside a cell: reduce the rows of a Many to one row (softmax_rows returns a list). All other functions map over the
// rows and broadcast single rows. For an empty Many, sum and mean are 0; max, min and logsumexp throw an IndexError at
// the call.
ESPALIER_API Expr sum_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr mean_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr max_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr min_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr logsumexp_rows(Expr rows, ESPALIER_AT);
ESPALIER_API Expr softmax_rows(Expr rows, ESPALIER_AT);
// Σ_k softmax_k(query·key_k / √d) value_k; 0 for an empty Many.
ESPALIER_API Expr attention(Expr query, Expr keys, Expr values, ESPALIER_AT);
ESPALIER_API bool over_rows(Expr x);  // whether x is a list of rows of a Many

}  // namespace espalier
