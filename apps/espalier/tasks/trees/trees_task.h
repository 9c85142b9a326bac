// TreesTask: classifies trees of words, with labels at all nodes or at the root only. `espalier train trees`, and the
// base class of its presets.
#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <espalier/data/labelled_tree.h>
#include <espalier/data/vocabulary.h>
#include <espalier/espalier.h>

#include "models/tree_classifier.h"
#include "task/classifier_task.h"
#include "tasks/examples/file_identity.h"
#include "tasks/examples/split.h"
#include "tasks/trees/classified_tree.h"
#include "tasks/trees/label_names.h"
#include "tasks/trees/tree_file.h"
#include "tasks/words/word_vectors.h"

namespace espalier::app {

class TreesTask : public ClassifierTask<ClassifiedTree> {
 public:
  TreesTask();
  void settings(Fields& f) override;

  void read() override;
  void read_dev() override { read_part(Part::dev); }
  void read_dev(const std::string& path) override;
  void read_part(Part part) override;
  std::vector<std::string> summary() const override;
  void save(io::Meta& meta) const override;
  void restore(const io::Meta& meta) override;

  PredictInput predict_input() const override {
    return {.kind =
                form_ == data::labelled_tree::Form::labels ? PredictInput::Kind::brackets : PredictInput::Kind::lines};
  }

  void build(Scope p) override;
  void initialise() override { word_vectors_.fill(model_->tokens, words_); }
  void tune(optim::Optimizer& optimizer) override {
    if (vectors_ != "none") optimizer.group("words*", static_cast<float>(word_lr_));
  }

 protected:
  using Tree = data::labelled_tree::Tree;

  // ---- what a preset may replace

  // The trees of --train, including those that become dev or test.
  virtual TreeFile training_file();
  // Divides the trees of --train if dev has no file of its own.
  virtual Split division(const TreeFile& file) const;
  virtual bool is_trained_on(const Tree&) const { return true; }  // of the trees that are neither in dev nor in test
  // All labels, whether or not the training trees have them; other labels are errors. Empty: those of the training
  // trees.
  virtual std::vector<std::string> given_labels() const { return {}; }
  virtual std::string label_names() const { return label_names_; }  // the value of --labels that applies

  // A file in the form of the training trees; the first file decides the form if --format is auto.
  TreeFile read_file(const std::string& path);
  TreeFile empty_file(const std::string& name) const;

  // ---- ClassifierTask

  Expr scores(Graph& g, const ClassifiedTree& e) const override { return (*model_)(g, e.tree); }
  int class_of(const ClassifiedTree& e) const override { return e.classes.back(); }
  std::vector<std::string> labels() const override { return classes_; }
  std::vector<Expr> losses(Graph& g, const ClassifiedTree& e) const override;
  uint32_t size(const ClassifiedTree& e) const override { return static_cast<uint32_t>(e.tree.nodes.size()); }
  ClassifiedTree parse(const std::string& line) const override;

  std::optional<data::labelled_tree::Form> form_;  // of the training trees
  std::string train_file_, dev_file_, test_file_;
  std::string form_name_ = "auto", label_names_, model_name_ = "tree-lstm", supervise_ = "all";
  std::string vectors_ = "none", class_weights_ = "none";
  int hidden_ = 100, dim_ = 100;
  bool lower_case_ = false;
  Init start_ = init::normal(0, 0.3f);  // of the word embeddings, without word vectors
  double word_lr_ = 0.1, unknown_ = 0.25, word_dropout_ = 0.2, node_dropout_ = 0, out_dropout_ = 0.2;

 private:
  Split split(const TreeFile& file) const;
  void learn(const TreeFile& file, const std::vector<uint64_t>& train);
  void learn_labels(const TreeFile& file);
  void number_classes();
  void weigh_classes();
  std::string spelling(std::string_view word) const;
  int rows() const { return words_.size() + (has_unary_ ? 2 : 1); }  // words, the unknown word, the unary marker

  // A tree with the words and classes of the model, given those of the words and labels of its file.
  ClassifiedTree classified(const Tree& tree, const std::vector<int>& words, const std::vector<int>& classes) const;
  // The class of a tree; -1: dropped. DataError: no training tree has its label.
  int root_class(const TreeFile& file, const Tree& tree) const;
  // The chosen trees that have a class; null: of all trees. Counts the first `most_counted`. DataError: as
  // root_class().
  std::vector<ClassifiedTree> examples(const TreeFile& file, const std::vector<uint64_t>* chosen, TreeCounts* counts,
                                       size_t most_counted = std::numeric_limits<size_t>::max()) const;
  void count(const Tree& tree, const ClassifiedTree& example, const std::vector<int>& words, TreeCounts* counts) const;

  std::vector<std::string> labels_, classes_;              // labels in the files; classes of the model
  std::map<std::string, int, std::less<>> class_numbers_;  // class of each label; -1: dropped
  data::Vocabulary words_;
  bool has_unary_ = false;  // whether a training tree has a node whose only child is a node
  std::vector<float> weights_;
  TreeCounts train_counts_, dev_counts_;
  size_t test_trees_ = 0;  // in --train
  FileIdentity identity_;
  WordVectors word_vectors_;
  std::optional<models::TreeClassifier> model_;
};

}  // namespace espalier::app
