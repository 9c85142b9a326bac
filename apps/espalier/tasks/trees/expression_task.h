// ExpressionTask: predicts the value of an expression with a TreeClassifier. Base class of listops and arithmetic.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <espalier/data/binary_tree.h>
#include "models/tree_classifier.h"
#include "task/classifier_task.h"

namespace espalier::app {

// An expression in the form the model reads.
struct LabelledTree {
  data::binary_tree::Tree tree;
  std::vector<int> classes;  // per node; -1: none. The root always has a class
};

class ExpressionTask : public ClassifierTask<LabelledTree> {
 public:
  void settings(Fields& f) override;
  void read() override;
  void read_dev() override;
  void read_dev(const std::string& path) override { dev_ = read_file(path); }
  void build(Scope p) override;

 protected:
  virtual int tokens() const = 0;
  virtual std::string file() const = 0;  // in the data folder, or several to try (data/folders.h)
  virtual std::vector<LabelledTree> read_file(const std::string& path) const = 0;
  virtual std::vector<LabelledTree> generated(size_t n) const = 0;
  virtual bool is_trained_on(const LabelledTree&) const { return true; }

  int class_of(const LabelledTree& e) const override { return e.classes.back(); }
  uint32_t size(const LabelledTree& e) const override { return static_cast<uint32_t>(e.tree.nodes.size()); }
  Expr scores(Graph& g, const LabelledTree& e) const override { return (*model_)(g, e.tree); }
  std::vector<Expr> losses(Graph& g, const LabelledTree& e) const override;

  std::string model_name_ = "tree-lstm", supervise_ = "all";
  int hidden_ = 64, dim_ = 32, generate_ = 0, held_out_ = 5000;

 private:
  std::vector<LabelledTree> all() const;

  std::optional<models::TreeClassifier> model_;
};

}  // namespace espalier::app
