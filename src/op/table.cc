#include <algorithm>

#include "op/all.h"
#include "op/describe.h"
#include "op/registry.h"

namespace espalier {
namespace {

std::vector<const OpInfo*> make_table() {
  std::vector<const OpInfo*> table;
  for_each_op([&]<class Op>() { table.push_back(&info<Op>()); });
  std::sort(table.begin(), table.end(), [](const OpInfo* a, const OpInfo* b) { return a->doc.name < b->doc.name; });
  return table;
}

}  // namespace

std::span<const OpInfo* const> op_table() {
  static const std::vector<const OpInfo*> table = make_table();
  return table;
}

const OpInfo* find_op(std::string_view name) {
  for (const OpInfo* op : op_table())
    if (op->doc.name == name) return op;
  return find_registered(name);
}

#define ESPALIER_ONE(Op) template const OpInfo& info<op::Op>();
ESPALIER_ALL_OPS
#undef ESPALIER_ONE

namespace op {

Term spread(Term x, Term like) { return {x.maker, x.maker->spread(x.node, like.node)}; }

}  // namespace op
}  // namespace espalier
