// entailment: the relation of two formulas of propositional logic; trained on short ones, evaluated on longer ones too.
#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <espalier/data/binary_tree.h>
#include <espalier/data/logic.h>
#include <espalier/text/lines.h>

#include "models/entailment.h"
#include "task/classifier_task.h"
#include "tasks/examples/hold_out.h"
#include "tasks/kinds.h"
#include "tasks/trees/tree_nodes.h"

namespace espalier::app {
namespace {

namespace logic = data::logic;

constexpr size_t longest = 12;  // length of the last file, which also holds the few longer formulas

struct Formulas {
  data::binary_tree::Tree left, right;
  int relation;
  size_t length;  // number of operators of the longer formula, at most `longest`
};

Formulas binarised(const logic::Pair& pair) {
  return {logic::binarise(pair.left), logic::binarise(pair.right), pair.relation,
          std::min(longest, std::max(pair.left.operators(), pair.right.operators()))};
}

class Entailment : public ClassifierTask<Formulas> {
 public:
  Entailment() {
    training.epochs = 15;
    training.batch = 64;
    training.lr = 2e-3;
    training.schedule = "cosine";
  }

  void settings(Fields& f) override {
    f.add("model", node_, {"tree-lstm", "tree-rnn", "rntn"}, "Architecture of tree nodes");
    f.add("hidden", hidden_, 1, "Hidden units of a tree node");
    f.add("dim", dim_, 1, "Token embedding size");
    f.add("compared", compared_, 1, "Hidden units of the layer that compares two formulas");
    f.add("dropout", dropout_, {0, 0.99}, "Dropout on the comparison layer");
    f.add("max-length", max_length_, 0, "Train on formulas with at most N operators");
    f.add("held-out", held_out_, 1, "Number of dev pairs of these lengths, at most a fifth");
    f.add("longer", longer_, 0, "Number of dev pairs of each greater length, at most a fifth");
  }

  // ---- data

  void read() override { train_ = read_all(); }
  void read_dev() override { read_all(); }
  void read_dev(const std::string& path) override { dev_ = read_file(path); }

  // ---- model

  void build(Scope p) override {
    model_.emplace(p, models::Entailment::Options{.tree = {tree_nodes.at(node_), logic::tokens, dim_, hidden_},
                                                  .compared = compared_,
                                                  .relations = logic::relations,
                                                  .dropout = static_cast<float>(dropout_)});
  }

 protected:
  Expr scores(Graph& g, const Formulas& f) const override {
    return model_->scores(model_->meaning(g, f.left), model_->meaning(g, f.right));
  }
  std::vector<Expr> losses(Graph& g, const Formulas& f) const override {
    return {model_->loss(model_->meaning(g, f.left), model_->meaning(g, f.right), f.relation)};
  }
  int class_of(const Formulas& f) const override { return f.relation; }
  std::vector<std::string> labels() const override {
    return {logic::relation_names.begin(), logic::relation_names.end()};
  }
  Groups groups() const override {
    Groups by{"length in operators", {}};
    for (size_t length = 0; length <= longest; ++length) by.names.push_back(std::to_string(length));
    return by;
  }
  size_t group_of(const Formulas& f) const override { return f.length; }
  bool decides(const Formulas& f) const override { return f.length <= static_cast<size_t>(max_length_); }
  uint32_t size(const Formulas& f) const override {
    return static_cast<uint32_t>(f.left.nodes.size() + f.right.nodes.size());
  }
  Formulas parse(const std::string& line) const override { return binarised(logic::parse(line, "line")); }

 private:
  static std::vector<Formulas> read_file(const std::string& path) {
    data::Lines lines(path);
    std::vector<Formulas> all;
    for (logic::Pair pair; logic::next(lines, pair);) all.push_back(binarised(pair));
    return all;
  }

  // Fills dev_ and returns the training set.
  std::vector<Formulas> read_all() {
    std::vector<Formulas> shorter, longer;
    for (size_t length = 0; length <= longest; ++length) {
      if (length > static_cast<size_t>(max_length_) && longer_ == 0) break;
      std::vector<Formulas> all = read_file(data_file(data, fmt::format("propositional_logic/train{}.gz", length)));
      if (length <= static_cast<size_t>(max_length_))
        std::ranges::move(all, std::back_inserter(shorter));
      else
        std::ranges::move(hold_out(all, static_cast<size_t>(longer_)), std::back_inserter(longer));
    }
    dev_ = hold_out(shorter, static_cast<size_t>(held_out_));
    std::ranges::move(longer, std::back_inserter(dev_));
    return shorter;
  }

  std::string node_ = "tree-lstm";
  int hidden_ = 64, dim_ = 32, compared_ = 128, max_length_ = 6, held_out_ = 10'000, longer_ = 1000;
  double dropout_ = 0;
  std::optional<models::Entailment> model_;
};

}  // namespace

TaskKind entailment_kind() {
  return {.name = "entailment",
          .what = "Relation of two formulas of propositional logic: Tree-LSTM, TreeRNN or RNTN, and a comparison layer",
          .paper = "Bowman et al. 2015",
          .data = "propositional_logic/train0.gz … train12.gz",
          .line = "two formulas separated by a tab, such as ( a ( and b ) ) and ( not c )",
          .metric = "accuracy",
          .higher_is_better = true,
          .make = make_task<Entailment>};
}

}  // namespace espalier::app
