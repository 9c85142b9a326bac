#include "engine/dry_run/labels.h"

#include <map>
#include <set>

namespace espalier::detail {

std::string shapes_text(const Program& p) {
  std::string text;
  for (const RowInput& in : p.rows) text += " " + str(in.shape);
  if (p.rows.empty()) text += " " + str(p.output_shape(0));
  return text;
}

std::string attributes_text(const Program& p) {
  std::string text;
  for (int i = 0; i < p.forward_nodes; ++i)
    if (p.node(i).kind == Node::Kind::op && !p.node(i).attrs.empty())
      text += "(" + p.node(i).op->text(p.node(i).attrs) + ")";
  return text;
}

std::vector<std::string> labels_of(const GraphTape& tape) {
  std::vector<std::string> labels(tape.cells.size());
  std::map<std::string, std::set<uint32_t>> by_name;
  for (const GraphTape::Call& call : tape.call) by_name[str(tape.cells[call.cell]->name)].insert(call.cell);
  for (const auto& [name, cells] : by_name) {
    std::set<std::string> different;
    for (int detail = 0; detail <= 2 && different.size() < cells.size(); ++detail) {
      different.clear();
      for (const uint32_t c : cells) {
        const Program& p = *tape.cells[c];
        labels[c] = name + (detail >= 2 ? attributes_text(p) : "") + (detail >= 1 ? shapes_text(p) : "");
        different.insert(labels[c]);
      }
    }
    if (different.size() == cells.size()) continue;
    size_t k = 0;
    for (const uint32_t c : cells) labels[c] += " #" + std::to_string(++k);
  }
  return labels;
}

}  // namespace espalier::detail
