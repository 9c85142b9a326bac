#include "tasks/trees/tree_file.h"

#include <fmt/format.h>

namespace espalier::app {

std::string with_commas(size_t n) {
  std::string text = std::to_string(n);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string describe(const TreeCounts& counts) {
  std::string text = fmt::format("{} trees, {} nodes", with_commas(counts.trees), with_commas(counts.nodes));
  if (counts.dropped > 0) text += fmt::format("; {} trees without a class dropped", with_commas(counts.dropped));
  if (counts.left_out > 0) text += fmt::format("; {} trees left out by --limit", with_commas(counts.left_out));
  return text;
}

std::string labelled_nodes(const TreeCounts& counts) {
  if (counts.labelled >= counts.nodes) return "all nodes";
  if (counts.labelled <= counts.trees) return "the root only";
  return fmt::format("{:.0f} % of the nodes",
                     100 * static_cast<double>(counts.labelled) / static_cast<double>(counts.nodes));
}

}  // namespace espalier::app
