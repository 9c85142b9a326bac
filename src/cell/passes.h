// From a traced program to a compiled one. compile() is the table of contents; a pass is a file.
#pragma once
#include "cell/homes.h"
#include "cell/program.h"

namespace espalier {

void own_outputs(Program& program);            // own.cc: every output gets a row of its own
void products_first(Program& program);         // sums.cc: in a sum, products come first
void move_slices(Program& program);            // slices.cc: parts of an element-wise op are ops of parts
void common_subexpressions(Program& program);  // common.cc: equal ops on equal operands are one
void canonical_order(Program& program);        // order.cc: independent of how a compiler orders operands
void differentiate(Program& program);          // gradient.cc: the gradient, as more nodes of the same program
void recompute(Program& program);              // recompute.cc: what is cheap is not kept for the backward pass
void generate(Program& program);               // generate.cc: nodes to buffers and kernels (runs.cc finds the runs)
void find_ahead(Program& program);             // prologue.cc: which kernels need not wait for a recursion

// Which nodes make up each kernel, in order of execution: one element-wise run, or one other op.
std::vector<std::vector<int>> find_runs(const Program& program, const Homes& homes, const std::vector<bool>& wanted,
                                        const std::vector<bool>& ready);

// The first five: after them, equal programs have equal text (key_of).
void normalise(Program& program);
// All of them in order. The program is complete after this.
void compile(Program& program);

bool is_view(const Program& program, int node);             // the same numbers at another place: costs nothing
uint64_t offset_in_base(const Program& program, int view);  // where in the row it looks at
bool is_product(const OpInfo* op);                          // with a matrix that all rows share
bool is_product(const Node& node);
bool sums_products(const Program& program, int node);  // W x + U y + …: the next adds to the rows of the one before

}  // namespace espalier
