#include "tasks/molecules/molecules.h"

#include <algorithm>

#include <fmt/format.h>
#include <espalier/data/table.h>
#include <espalier/smiles/smiles.h>

#include "base/nearest_names.h"
#include "csv.h"
#include "models/graph_convolution.h"
#include "models/weave.h"
#include "tasks/kinds.h"

namespace espalier::app {

Molecules::Molecules(const Preset& preset)
    : TargetTask(Targets(Targets::Naming::name, "auc")),
      other_columns_(preset.other_columns),
      smiles_(preset.smiles),
      target_(csv_line(preset.targets)),
      split_(preset.split),
      dropout_(preset.dropout) {
  file_ = preset.file;
  targets_.kind = preset.kind;
  targets_.unit = preset.unit;
  training.optimizer = "adamw";
  training.schedule = "cosine";
  training.weight_decay = 0.01;
  training.batch = 32;
  training.epochs = preset.epochs;
}

void Molecules::settings(Fields& f) {
  add_files(f, "csv", "CSV file with a header; molecules to train on");
  f.add("smiles", smiles_, {}, "Column of the SMILES");
  f.add("target", target_, {}, "Columns to predict, separated by commas; a name with a comma in double quotes");
  targets_.add_to(f);
  f.add(
      "split", split_, {"random", "scaffold"},
      "Division into train, dev and test: by the seed, or by scaffold, which tests on molecules unlike those in train");
  f.add("model", model_name_, {"graph-convolution", "weave"}, "Architecture");
  f.add("hidden", hidden_, 1, "Hidden units per atom");
  f.add("layers", layers_, 1, "Number of graph convolutions or Weave modules");
  f.add("distance", distance_, 1, "Weave: maximum distance of the atoms of a pair, in bonds");
  f.add("dropout", dropout_, {0, 0.99}, "Dropout");
}

std::vector<std::string> Molecules::target_columns() const {
  if (target_.empty()) throw Error("--target COLUMN is missing; it names the columns to predict");
  return fields_of_csv_line(target_, "--target");
}

// ---- data

std::vector<MoleculeExample> Molecules::read_file(const std::string& path) {
  constexpr size_t most_listed = 20;
  targets_.set_names(target_columns());
  data::Table table(path);
  const size_t smiles = table.column(smiles_);
  std::vector<size_t> columns;
  const bool has_other =
      !other_columns_.empty() && std::ranges::find(table.columns(), other_columns_.front()) != table.columns().end();
  for (const std::string& name : has_other ? other_columns_ : targets_.names()) columns.push_back(table.column(name));
  std::vector<MoleculeExample> all;
  std::vector<std::string> unreadable;
  while (table.next()) {
    MoleculeExample x;
    x.target.place = table.place(columns.front());
    for (const size_t column : columns) x.target.texts.emplace_back(table.field(column));
    try {
      x.molecule = smiles::parse(table.field(smiles));
      if (split_ == "scaffold") x.scaffold = smiles::scaffold(table.field(smiles));
    } catch (const DataError& e) {
      unreadable.push_back(table.place(smiles) + e.what());
      continue;
    }
    targets_.check(x.target);
    all.push_back(std::move(x));
  }
  if (all.empty() && !unreadable.empty()) throw_unreadable(path, unreadable, table.columns());
  if (!unreadable.empty())
    skipped_ = fmt::format("{} rows were skipped, because their SMILES are unreadable: {}", unreadable.size(),
                           unreadable.front());
  summary_.push_back(fmt::format("{}: {} molecules, column '{}'; targets {}", path, all.size(), smiles_, target_));
  if (!unreadable.empty()) summary_.push_back(fmt::format("  {} rows skipped: unreadable SMILES", unreadable.size()));
  for (size_t i = 0; i < std::min(unreadable.size(), most_listed); ++i) summary_.push_back("    " + unreadable[i]);
  if (unreadable.size() > most_listed)
    summary_.push_back(fmt::format("    and {} more", unreadable.size() - most_listed));
  return all;
}

void Molecules::throw_unreadable(const std::string& path, std::span<const std::string> reasons,
                                 std::vector<std::string> columns) const {
  constexpr size_t most_listed = 3;
  std::erase(columns, smiles_);
  throw DataError(fmt::format(
      "{}: none of the {} fields in column '{}' is a readable SMILES: {}{}; --smiles chooses another column; the "
      "nearest of {}: {}",
      path, reasons.size(), smiles_, fmt::join(reasons.first(std::min(reasons.size(), most_listed)), "; "),
      reasons.size() > most_listed ? "; …" : "", columns.size(), nearest_names("smiles", columns)));
}

// Classes may be missing because their rows were skipped.
void Molecules::learn() {
  try {
    TargetTask::learn();
  } catch (const DataError& e) {
    if (skipped_.empty()) throw;
    throw DataError(fmt::format("{}; {}", e.what(), skipped_));
  }
}

Split Molecules::divide(const std::vector<MoleculeExample>& all) const {
  if (split_ == "random") return TargetTask::divide(all);
  std::vector<std::string> scaffolds;
  for (const MoleculeExample& x : all) scaffolds.push_back(x.scaffold);
  return group_split(scaffolds, folds, shares());
}

std::vector<std::string> Molecules::summary() const {
  std::vector<std::string> lines = summary_;
  lines.push_back(part_sizes() + (dev_file_.empty() ? fmt::format(" ({} split)", split_) : ""));
  for (const std::string& line : targets_.summary()) lines.push_back("  " + line);
  return lines;
}

MoleculeExample Molecules::parse(const std::string& line) const { return {.molecule = smiles::parse(line)}; }

// ---- model

void Molecules::build(Scope p) {
  const int outputs = targets_.row_size();
  const auto dropout = static_cast<float>(dropout_);
  if (model_name_ == "weave")
    model_ = models::MoleculeWeave(
        p, {.hidden = hidden_, .modules = layers_, .distance = distance_, .targets = outputs, .dropout = dropout});
  else
    model_ = models::MoleculeGraphConvolution(
        p, {.hidden = hidden_, .layers = layers_, .targets = outputs, .dropout = dropout});
}

TaskKind molecules_kind() {
  return {.name = "molecules",
          .what = "Properties of molecules in a CSV file: graph convolution or Weave",
          .paper = "Duvenaud et al. 2015; Kearnes et al. 2016; Xu et al. 2019",
          .data = "--csv FILE",
          .line = "a SMILES such as CC(=O)Oc1ccccc1C(=O)O, or a CSV with the column of SMILES",
          .metric = "auc or accuracy; rmse",
          .higher_is_better = true,
          .make = make_task<Molecules>};
}

}  // namespace espalier::app
