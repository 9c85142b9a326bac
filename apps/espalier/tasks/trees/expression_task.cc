#include "tasks/trees/expression_task.h"

#include "tasks/examples/hold_out.h"
#include "tasks/trees/tree_nodes.h"

namespace espalier::app {

void ExpressionTask::settings(Fields& f) {
  f.add("model", model_name_, {"tree-lstm", "tree-rnn", "rntn", "bag-of-words"},
        "Architecture of tree nodes; bag-of-words ignores the tree, for comparison");
  f.add("supervise", supervise_, {"all", "root"}, "Losses at every subexpression with a value, or at the root only");
  f.add("hidden", hidden_, 1, "Hidden units of a tree node");
  f.add("dim", dim_, 1, "Token embedding size");
  f.add("generate", generate_, 0, "Generate this many expressions instead of reading a file; 0: read the file");
  f.add("held-out", held_out_, 1, "Number of dev expressions, at most a fifth");
}

std::vector<LabelledTree> ExpressionTask::all() const {
  return generate_ > 0 ? generated(static_cast<size_t>(generate_)) : read_file(data_file(data, file()));
}

void ExpressionTask::read() {
  train_ = all();
  dev_ = hold_out(train_, static_cast<size_t>(held_out_));
  std::erase_if(train_, [&](const LabelledTree& e) { return !is_trained_on(e); });
}

void ExpressionTask::read_dev() {
  std::vector<LabelledTree> examples = all();
  dev_ = hold_out(examples, static_cast<size_t>(held_out_));
}

void ExpressionTask::build(Scope p) {
  const auto node = tree_nodes.find(model_name_);
  models::TreeClassifier::Options o{.tree = {.tokens = tokens(), .dim = dim_, .hidden = hidden_},
                                    .bag_of_words = node == tree_nodes.end(),
                                    .classes = static_cast<int>(labels().size())};
  if (node != tree_nodes.end()) o.tree.node = node->second;
  model_.emplace(p, o);
}

std::vector<Expr> ExpressionTask::losses(Graph& g, const LabelledTree& e) const {
  if (supervise_ == "all") return model_->losses(g, e.tree, e.classes);
  return {cross_entropy(scores(g, e), class_of(e))};
}

}  // namespace espalier::app
