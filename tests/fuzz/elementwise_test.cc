// Random programs select an element-wise op by a number below 1000: every op is selected, with finite results.
#include "law/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <espalier/engine/engine.h>
#include <espalier/expr/functions.h>
#include "graph/tape.h"
#include "op/op.h"

namespace espalier::law {
namespace ESPALIER_FILE {

TEST(FuzzElementwise, EveryOpIsDrawnAndFinite) {
  Engine engine({.device = Device::ref()});
  Graph g = engine.graph();
  const Expr x = input(g, std::vector<float>{-100, -1, 0, 1, 100}, {5}), y = input(g, 0.3f);
  std::vector<Expr> results;
  for (unsigned which = 0; which < 1000; ++which) results.push_back(any_elementwise(which, {x, which % 2 ? x : y, x}));
  for (const Tensor& t : engine.tensors(results))
    for (float v : t) ASSERT_TRUE(std::isfinite(v));
  std::set<std::string> drawn;
  for (const auto& cell : g.tape().cells) drawn.insert(str(cell->name));
  for (const OpInfo* op : op_table())
    if (op->elementwise && !op->inputs.empty() && !op->random) {
      EXPECT_TRUE(drawn.contains(std::string(op->doc.name))) << op->doc.name;
    }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
