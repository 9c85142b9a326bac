// Cell::explain(): the cell's nodes, and the kernels of its forward and backward pass.
#include <fmt/format.h>

#include "expr/record.h"

namespace espalier::detail {
namespace {

std::string kernels(const std::vector<Kernel>& list) {
  std::string s;
  for (const Kernel& k : list) {
    if (!s.empty()) s += " · ";
    if (k.kind == Kernel::Kind::fused)
      s += fmt::format("fused kernel ({} ops, {} elements)", k.fused.code.size(), k.fused.size);
    else if (k.kind == Kernel::Kind::number)
      s += "number";
    else
      s += (k.adds ? "+ " : "") + std::string(k.op->doc.name);
  }
  return s.empty() ? "nothing" : s;
}

}  // namespace

std::string explain_cell(const std::shared_ptr<const Program>& program) {
  if (program == nullptr) cell_is_empty({});
  const Program& p = *program;
  std::string s = print(p);
  s.resize(s.find("  gradient: ") == std::string::npos ? s.size() : s.find("  gradient: "));
  s += "  forward: " + kernels(p.code.forward) + "\n";
  s += "  backward: " + kernels(p.code.backward) + "\n";
  s += fmt::format("  weight gradients: {}\n", p.accumulations.size());
  return s;
}

}  // namespace espalier::detail
