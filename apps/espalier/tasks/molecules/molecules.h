// Molecules: predicts targets of molecules from a CSV file with a column of SMILES.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <espalier/data/molecule.h>

#include "task/targets/target_task.h"

namespace espalier::app {

struct MoleculeExample {
  data::Molecule molecule;
  std::string scaffold{};  // known only if the examples are divided by scaffold
  TargetValues target{};
};

class Molecules : public TargetTask<MoleculeExample> {
 public:
  // The defaults of a data set.
  struct Preset {
    std::string file{}, smiles = "smiles";
    std::vector<std::string> targets{};
    std::vector<std::string> other_columns{};  // of the targets, in other copies of the table
    std::string kind = "classification", split = "random";
    std::string unit{};  // of a regression target
    int epochs = 30;     // depends on the size of the data set
    double dropout = 0.1;
  };
  Molecules() : Molecules(Preset{.dropout = 0}) {}
  explicit Molecules(const Preset& preset);

  void settings(Fields& f) override;
  std::vector<std::string> summary() const override;
  void build(Scope p) override;
  PredictInput predict_input() const override { return {.csv_column = smiles_}; }

 protected:
  std::vector<MoleculeExample> read_file(const std::string& path) override;
  Split divide(const std::vector<MoleculeExample>& all) const override;
  void learn() override;
  Expr outputs(Graph& g, const MoleculeExample& x) const override { return model_(g, x.molecule); }
  uint32_t size(const MoleculeExample& x) const override { return static_cast<uint32_t>(x.molecule.atoms.size()); }
  MoleculeExample parse(const std::string& line) const override;

 private:
  std::vector<std::string> target_columns() const;  // Error: --target is missing or invalid
  // No molecule of a file is readable: a DataError with the first reasons and the columns that may hold the SMILES.
  [[noreturn]] void throw_unreadable(const std::string& path, std::span<const std::string> reasons,
                                     std::vector<std::string> columns) const;

  const std::vector<std::string> other_columns_;
  std::string smiles_, target_, split_, model_name_ = "graph-convolution";
  int hidden_ = 128, layers_ = 4, distance_ = 2;
  double dropout_;
  std::vector<std::string> summary_;
  std::string skipped_;  // why rows were skipped; empty: none was
  std::function<Expr(Graph&, const data::Molecule&)> model_;
};

}  // namespace espalier::app
