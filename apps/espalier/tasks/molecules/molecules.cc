// esol, lipophilicity, bbbp, tox21: properties of molecules, from the data sets of MoleculeNet (Wu et al. 2018).
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <espalier/data/molecule.h>
#include <espalier/data/table.h>
#include <espalier/smiles/smiles.h>

#include "models/graph_convolution.h"
#include "models/weave.h"
#include "say.h"
#include "task/listed_task.h"
#include "tasks/kinds.h"
#include "tasks/metrics/roc_auc.h"

namespace espalier::app {
namespace {

using smiles::Example;

struct Table {
  std::string file;
  std::vector<std::string> targets;
  std::string unit;                    // of a regression target; empty: binary classification
  int epochs;                          // default, depends on the size of the data set
  std::vector<std::string> columns{};  // names of the targets in the published table; empty: as in `targets`
  bool is_number() const { return !unit.empty(); }
};

class Molecules : public ListedTask<Example> {
 public:
  explicit Molecules(Table table) : table_(std::move(table)) {
    training.optimizer = "adamw";
    training.schedule = "cosine";
    training.weight_decay = 0.01;
    training.batch = 32;
    training.epochs = table_.epochs;
  }

  void settings(Fields& f) override {
    f.add("model", model_name_, {"graph-convolution", "weave"}, "Architecture");
    f.add("hidden", hidden_, 1, "Hidden units per atom");
    f.add("layers", layers_, 1, "Number of graph convolutions or Weave modules");
    f.add("distance", distance_, 1, "Weave: maximum distance of the atoms of a pair, in bonds");
    f.add("dropout", dropout_, {0, 0.99}, "Dropout");
  }

  // ---- data

  // Random split by the seed, as in MoleculeNet: 80 % train, 10 % dev, 10 % unused (test).
  void read() override {
    std::vector<Example> all = read_file(data_file(data, table_.file));
    const auto order = shuffled(all.size());
    for (size_t i = 0; i < all.size() * 9 / 10; ++i)
      (i < all.size() * 8 / 10 ? train_ : dev_).push_back(std::move(all[order[i]]));
    standardise();
  }
  void read_dev(const std::string& path) override { dev_ = read_file(path); }
  void read_dev() override {
    std::vector<Example> all = read_file(data_file(data, table_.file));
    const auto order = shuffled(all.size());
    dev_.clear();
    for (size_t i = all.size() * 8 / 10; i < all.size() * 9 / 10; ++i) dev_.push_back(std::move(all[order[i]]));
  }
  void save(io::Meta& meta) const override {
    meta["mean"] = Json(mean_).dump();
    meta["spread"] = Json(spread_).dump();
  }
  void restore(const io::Meta& meta) override {
    mean_ = Json::parse(meta.at("mean")).get<std::vector<float>>();
    spread_ = Json::parse(meta.at("spread")).get<std::vector<float>>();
  }

  // ---- model

  void build(Scope p) override {
    const int targets = static_cast<int>(table_.targets.size());
    const auto dropout = static_cast<float>(dropout_);
    if (model_name_ == "weave")
      model_ = models::MoleculeWeave(
          p, {.hidden = hidden_, .modules = layers_, .distance = distance_, .targets = targets, .dropout = dropout});
    else
      model_ = models::MoleculeGraphConvolution(
          p, {.hidden = hidden_, .layers = layers_, .targets = targets, .dropout = dropout});
  }

  // ---- training and evaluation

  Evaluation evaluate(Engine& engine) override {
    std::vector<std::vector<std::pair<float, bool>>> scored(table_.targets.size());
    Evaluation e;
    train::Mean square, absolute;
    infer(
        engine, dev_, [&](Graph& g, const Example& x) { return model_(g, x.molecule); },
        [&](const Example& x, const Tensor& row) {
          for (size_t t = 0; t < x.targets.size(); ++t) {
            if (std::isnan(x.targets[t])) continue;
            if (!table_.is_number()) {
              scored[t].emplace_back(row.data[t], x.targets[t] > 0.5f);
              continue;
            }
            const float found = number(row.data[t], t);
            e.gold.push_back(x.targets[t]);
            e.predicted.push_back(found);
            square.add((found - x.targets[t]) * (found - x.targets[t]));
            absolute.add(std::abs(found - x.targets[t]));
          }
        });
    e.unit = table_.unit;
    if (table_.is_number()) {
      e.scores = {{"rmse", std::sqrt(square.get())}, {"mean absolute error", absolute.get()}};
    } else {
      train::Mean mean;
      Breakdown by_target{"auc by target", {}};
      for (size_t t = 0; t < scored.size(); ++t)
        if (const auto area = roc_auc(scored[t])) {
          mean.add(*area);
          by_target.scores.emplace_back(table_.targets[t], *area);
        }
      e.scores = {{"auc", mean.get()}};
      if (scored.size() > 1) e.breakdowns.push_back(std::move(by_target));
    }
    return e;
  }

 protected:
  std::vector<Expr> losses(Graph& g, const Example& x) const override {
    const size_t n = x.targets.size();
    std::vector<float> target(n), given(n);
    float count = 0;
    for (size_t t = 0; t < n; ++t) {
      if (std::isnan(x.targets[t])) continue;
      target[t] = table_.is_number() ? (x.targets[t] - mean_[t]) / spread_[t] : x.targets[t];
      given[t] = 1;
      ++count;
    }
    if (count == 0) return {};
    const Expr row = model_(g, x.molecule), wanted = input(g, target, row.shape());
    if (table_.is_number()) return {mse_loss(row, wanted)};
    // The sum of the binary cross-entropies of the targets that are not missing.
    return {sum_elements((softplus(row) - row * wanted) * input(g, given, row.shape()))};
  }
  uint32_t size(const Example& x) const override { return static_cast<uint32_t>(x.molecule.atoms.size()); }

  Example parse(const std::string& line) const override {
    return {line, smiles::parse(line), std::vector<float>(table_.targets.size())};
  }

  std::vector<Json> answer(Engine& engine, std::span<const Example> examples) override {
    std::vector<Json> found;
    infer(
        engine, examples, [&](Graph& g, const Example& x) { return model_(g, x.molecule); },
        [&](const Example&, const Tensor& row) {
          Json& json = found.emplace_back(Json::object());
          for (size_t t = 0; t < table_.targets.size(); ++t)
            json[table_.targets[t]] = table_.is_number() ? number(row.data[t], t) : 1 / (1 + std::exp(-row.data[t]));
        });
    return found;
  }

 private:
  // Computes mean and standard deviation of each target on the train set. The model predicts standardised values;
  // number() converts them back.
  void standardise() {
    mean_.assign(table_.targets.size(), 0);
    spread_.assign(table_.targets.size(), 1);
    if (!table_.is_number()) return;
    for (size_t t = 0; t < mean_.size(); ++t) {
      train::Mean mean, square;
      for (const Example& x : train_)
        if (!std::isnan(x.targets[t])) {
          mean.add(x.targets[t]);
          square.add(x.targets[t] * x.targets[t]);
        }
      mean_[t] = static_cast<float>(mean.get());
      spread_[t] = static_cast<float>(std::sqrt(std::max(square.get() - mean.get() * mean.get(), 1e-12)));
    }
  }
  float number(float standard, size_t target) const { return standard * spread_[target] + mean_[target]; }

  std::vector<uint64_t> shuffled(size_t n) const {
    if (n == 0) return {};
    return train::minibatches(n, n, training.seed, 0).front().ids;
  }

  // The columns that hold the targets: with their published names if the table has them.
  std::vector<std::string> columns(const std::string& path) const {
    if (table_.columns.empty()) return table_.targets;
    const std::vector<std::string> header = data::Table(data::Lines(path)).columns();
    const auto is_there = [&](const std::string& name) { return std::ranges::find(header, name) != header.end(); };
    return std::ranges::all_of(table_.columns, is_there) ? table_.columns : table_.targets;
  }

  std::vector<Example> read_file(const std::string& path) const {
    smiles::Examples found = smiles::read(path, {columns(path)});
    if (!found.refused.empty())
      say("espalier: skipped {} of {} rows; the first: {}", found.refused.size(),
          found.rows.size() + found.refused.size(), found.refused.front());
    return std::move(found.rows);
  }

  Table table_;
  std::string model_name_ = "graph-convolution";
  int hidden_ = 128, layers_ = 4, distance_ = 2;
  double dropout_ = 0.1;
  std::vector<float> mean_, spread_;  // per target
  std::function<Expr(Graph&, const data::Molecule&)> model_;
};

TaskKind molecule_kind(std::string name, std::string what, std::string published, const Table& table) {
  return {.name = std::move(name),
          .what = std::move(what) + ": graph convolution or Weave",
          .paper = "Duvenaud et al. 2015; Kearnes et al. 2016; Xu et al. 2019",
          .data = table.file,
          .line = "a SMILES such as CC(=O)Oc1ccccc1C(=O)O",
          .metric = table.is_number() ? "rmse" : "auc",
          .higher_is_better = !table.is_number(),
          .published = std::move(published),
          .make = [table] { return std::make_unique<Molecules>(table); }};
}

}  // namespace

TaskKind esol_kind() {
  return molecule_kind("esol", "Solubility of molecules in water", "0.885 (graph convolution, MoleculeNet)",
                       {.file = "molecules/delaney-processed.csv",
                        .targets = {"measured log solubility in mols per litre"},
                        .unit = "log mol/l",
                        .epochs = 30});
}
TaskKind lipophilicity_kind() {
  return molecule_kind(
      "lipophilicity", "Octanol/water distribution coefficient of molecules", "0.781 (graph convolution, MoleculeNet)",
      {.file = "molecules/Lipophilicity.csv", .targets = {"exp"}, .unit = "log D at pH 7.4", .epochs = 20});
}
TaskKind bbbp_kind() {
  return molecule_kind(
      "bbbp", "Blood-brain barrier penetration of molecules",
      "0.676 (graph convolution, MoleculeNet, split by scaffold)",
      {.file = "molecules/BBBP.csv", .targets = {"BBBP"}, .unit = "", .epochs = 15, .columns = {"p_np"}});
}
TaskKind tox21_kind() {
  return molecule_kind("tox21", "Twelve kinds of toxicity of molecules", "0.829 (graph convolution, MoleculeNet)",
                       {.file = "molecules/tox21.csv",
                        .targets = {"NR-AR", "NR-AR-LBD", "NR-AhR", "NR-Aromatase", "NR-ER", "NR-ER-LBD",
                                    "NR-PPAR-gamma", "SR-ARE", "SR-ATAD5", "SR-HSE", "SR-MMP", "SR-p53"},
                        .unit = "",
                        .epochs = 8});
}

}  // namespace espalier::app
