// Generates docs/ops.md from the table of ops.
#include <cmath>
#include <sstream>

#include "cell/builder.h"
#include "cell/passes.h"
#include "golden/golden.h"
#include "law/op/cell.h"

namespace espalier {
namespace ESPALIER_FILE {

std::string escaped(std::string_view text) {
  std::string s;
  for (char c : text) s += c == '|' ? std::string("\\|") : std::string(1, c);
  return s;
}

std::string number(double n) {
  std::ostringstream s;
  s << n;
  return s.str();
}

// The cost of one row at the op's first sample: all primitive operations of its cell, without the backward pass.
std::string cost(const OpInfo& op) {
  const std::vector<Sample> samples = op.samples();
  if (op.elementwise) {
    const size_t work = op.formula(samples[0].attrs).code.size();
    return work == 0 ? "0" : std::to_string(work) + " per element";
  }
  const law::OpCell cell({&op, 0, samples[0]});
  double flops = 0;
  const Program& p = *cell.program();
  for (int i = 0; i < p.forward_nodes; ++i) {
    const Node& n = p.node(i);
    if (n.kind != Node::Kind::op || is_view(p, i)) continue;
    std::vector<Shape> shapes;
    for (int k : n.in) shapes.push_back(p.node(k).shape);
    flops += n.op->flops(n.attrs, shapes, n.shape) *
             (n.op->elementwise ? static_cast<double>(n.op->formula(n.attrs).code.size()) : 1);
  }
  std::string of;
  for (size_t i = 0; i < samples[0].shapes.size(); ++i)
    if (op.inputs[op.many ? 0 : i].role != Role::index) of += (of.empty() ? " for " : ", ") + str(samples[0].shapes[i]);
  return number(flops) + of;
}

std::string kind(const OpInfo& op) {
  if (op.elementwise) return "element-wise";
  if (op.compose == nullptr) return "kernel";
  return "composed";
}

std::string inputs(const OpInfo& op) {
  std::string s;
  for (const Input& in : op.inputs) {
    s += (s.empty() ? "" : ", ") + std::string(in.name);
    if (in.role == Role::shared) s += " (parameter)";
    if (in.role == Role::list) s += " (list)";
    if (in.role == Role::index) s += " (integer)";
  }
  if (op.many) s += " …";
  std::string attrs;
  for (std::string_view name : op.attr_names) attrs += (attrs.empty() ? "" : ", ") + std::string(name);
  return s + (attrs.empty() ? "" : "; " + attrs);
}

std::string gradient(const OpInfo& op) {
  if (!op.differentiable()) return "none";
  return op.own_slope(op.samples()[0].attrs) ? "custom" : "yes";
}

std::string page() {
  std::array<size_t, 3> counts{};
  std::string rows;
  for (const OpInfo* op : op_table()) {
    ++counts[op->elementwise ? 0 : op->compose == nullptr ? 1 : 2];
    rows += "| `" + std::string(op->doc.name) + "` | " + escaped(op->doc.math) + " | " + escaped(op->doc.text) + " | " +
            inputs(*op) + " | " + gradient(*op) + " | " + kind(*op) + " | " + cost(*op) + " |\n";
  }
  return "# Ops\n\nGenerated from the table of ops; a test keeps this page up to date. " +
         std::to_string(op_table().size()) + " ops: " + std::to_string(counts[0]) + " element-wise, which are fused; " +
         std::to_string(counts[1]) + " with their own kernels; " + std::to_string(counts[2]) +
         " composed of other ops, which replace them when a cell is built. Most are functions of the same name "
         "(`espalier/expr/functions.h`); some are used only inside other ops or in gradients. \"Inputs\" lists the "
         "operands, then the attributes. Attributes are part of the batching key; the integers of a call are not. "
         "\"Cost\" counts the primitive operations of the forward pass: per element, or for one row of the given "
         "shapes.\n\n"
         "| op | formula | description | inputs; attributes | gradient | kind | cost |\n"
         "|---|---|---|---|---|---|---|\n" +
         rows;
}

TEST(Docs, ops_are_those_of_the_table) { golden::expect_golden("../../docs/ops.md", page()); }

}  // namespace ESPALIER_FILE
}  // namespace espalier
