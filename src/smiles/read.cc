#include <limits>

#include <espalier/base/error.h>
#include <espalier/data/table.h>
#include <espalier/smiles/smiles.h>

namespace espalier::smiles {

Examples read(const std::string& path, const Columns& columns) {
  data::Table table(path);
  const size_t smiles = table.column(columns.smiles);
  std::vector<size_t> targets;
  for (const std::string& name : columns.targets) targets.push_back(table.column(name));
  Examples examples;
  while (table.next()) {
    Example example;
    for (const size_t column : targets)
      example.targets.push_back(
          static_cast<float>(table.number(column).value_or(std::numeric_limits<double>::quiet_NaN())));
    example.smiles = table.field(smiles);
    try {
      example.molecule = parse(example.smiles);
    } catch (const DataError& e) {
      examples.refused.push_back(table.place(smiles) + e.what());
      continue;
    }
    examples.rows.push_back(std::move(example));
  }
  return examples;
}

}  // namespace espalier::smiles
