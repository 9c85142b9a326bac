// Every output owns its row: an output that is an input, a parameter, a constant, a view or already another output is
// copied. So every region holds one value, which is freed or overwritten independently of others.
#include <algorithm>

#include "cell/builder.h"
#include "cell/passes.h"
#include "op/elementwise.h"

namespace espalier {

void own_outputs(Program& p) {
  Builder build(p);
  for (size_t k = 0; k < p.outputs.size(); ++k) {
    const int node = p.outputs[k];
    const Node& n = p.node(node);
    const bool taken = std::find(p.outputs.begin(), p.outputs.begin() + static_cast<std::ptrdiff_t>(k), node) !=
                       p.outputs.begin() + static_cast<std::ptrdiff_t>(k);
    if (n.kind == Node::Kind::op && n.space == call_space && !taken && !is_view(p, node)) continue;
    p.outputs[k] = build.make(info<op::Copy>(), {}, std::array{node});
    p.nodes[static_cast<size_t>(p.outputs[k])].space = call_space;
  }
}

}  // namespace espalier
