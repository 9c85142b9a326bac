// The passes from a traced program to a compiled one, one file each. compile() lists them in order.
#pragma once
#include "cell/generate/aliases.h"
#include "cell/program.h"

namespace espalier {

void own_outputs(Program& program);            // own.cc: gives every output its own row
void products_first(Program& program);         // sums.cc: puts products first in sums
void move_slices(Program& program);            // slices.cc: moves slices up through element-wise ops
void common_subexpressions(Program& program);  // common.cc: merges equal ops on equal operands
void canonical_order(Program& program);        // order.cc: makes the order independent of the C++ compiler
void differentiate(Program& program);          // gradient.cc: appends the gradient as nodes
void recompute(Program& program);              // recompute.cc: recomputes cheap values in the backward pass
void generate(Program& program);               // generate.cc: nodes to buffers and kernels
void find_hoisted(Program& program);           // hoist.cc: finds kernels that do not depend on a recursion

// fuse.cc: the nodes of each kernel, in order of execution: one fused kernel, or one other op.
std::vector<std::vector<int>> fuse(const Program& program, const BufferAliases& aliases,
                                   const std::vector<bool>& wanted, const std::vector<bool>& ready);

// The first five passes. Equal programs have equal text afterwards (key_of).
void normalise(Program& program);
// All passes in order. The program is complete afterwards.
void compile(Program& program);

bool is_view(const Program& program, int node);             // the same elements at an offset: needs no kernel
uint64_t offset_in_base(const Program& program, int view);  // the first element of the view in its base
bool is_product(const OpInfo* op);                          // a product with a matrix that all rows share
bool is_product(const Node& node);
bool sums_products(const Program& program, int node);  // W x + U y + …: each product adds to the rows of the first

}  // namespace espalier
