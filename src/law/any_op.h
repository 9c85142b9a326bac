// Any op of the table that is not element-wise, on values of a random program.
#pragma once
#include <functional>

#include <espalier/expr/graph.h>

namespace espalier::law {

// Operands are what the op's own sample gives, each moved by a value of the program: some_value(i) is any.
Expr any_op(Graph& graph, unsigned which, const std::function<Expr(unsigned)>& some_value);

}  // namespace espalier::law
