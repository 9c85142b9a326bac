// any_op: records any op of the table that is not element-wise on values of a random program.
#pragma once
#include <functional>

#include <espalier/expr/graph.h>

namespace espalier::law {

// The operands are those of the op's own sample, each perturbed by a value of the program: some_value(i).
Expr any_op(Graph& graph, unsigned which, const std::function<Expr(unsigned)>& some_value);

}  // namespace espalier::law
