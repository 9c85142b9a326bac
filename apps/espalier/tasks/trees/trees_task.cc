#include "tasks/trees/trees_task.h"

#include <algorithm>

#include <fmt/format.h>

#include "tasks/kinds.h"
#include "tasks/trees/tree_nodes.h"
#include "tasks/words/known_words.h"

namespace espalier::app {

TreesTask::TreesTask() {
  training.epochs = 20;
  training.patience = 5;
  training.batch = 32;
  training.lr = 3e-3;
  training.schedule = "cosine";
}

void TreesTask::settings(Fields& f) {
  f.add("train", train_file_, {}, "File of labelled trees, in the working directory or the data folder");
  f.add("dev", dev_file_, {},
        "File of dev trees; without it, a tenth of --train is dev and, without --test, a tenth is test");
  f.add("test", test_file_, {}, "File of test trees for espalier eval --part test");
  f.add("format", form_name_, {"auto", "labels", "root", "listops"},
        "Form of the trees: (3 (2 It) (4 great)), LABEL TAB ( ( It ) great ), or LABEL TAB [MAX 2 9 ]; auto: as the "
        "first line");
  folds.add_to(f);
  f.add("labels", label_names_, {},
        "New names of labels, such as 0=negative,1=negative,2=,3=positive; no name drops it");
  f.add("model", model_name_, {"tree-lstm", "tree-rnn", "rntn", "bag-of-words"},
        "Architecture of tree nodes; bag-of-words ignores the tree, for comparison");
  f.add("supervise", supervise_, {"all", "root"}, "Losses at all nodes with a label, or at the root only");
  f.add("class-weights", class_weights_, {"none", "balanced"},
        "balanced: classes count equally in the loss, however many nodes they have");
  f.add("hidden", hidden_, 1, "Hidden units of a tree node");
  f.add("dim", dim_, 1, "Word embedding size; with word vectors, their size is used");
  f.add("vectors", vectors_, {}, "File of word vectors, or several to try, separated by |; none: learned from scratch");
  f.add("word-lr", word_lr_, {0, 1}, "Learning rate of word embeddings if word vectors are used, as a factor of --lr");
  f.add("lower-case", lower_case_, "Read words in lower case and without the escapes of treebanks");
  f.add("unknown", unknown_, {},
        "In training, replace a word seen n times by unknown with probability unknown / (unknown + n)");
  f.add("word-dropout", word_dropout_, {0, 0.99}, "Dropout on word embeddings");
  f.add("node-dropout", node_dropout_, {0, 0.99}, "Dropout inside a tree node");
  f.add("out-dropout", out_dropout_, {0, 0.99}, "Dropout on the states given to the classifier");
}

std::vector<std::string> TreesTask::summary() const {
  constexpr size_t most_shown = 20;
  size_t different = 0;
  for (int w = 0; w < words_.size(); ++w) different += words_.count(w) > 0 ? 1 : 0;
  std::vector<std::string> lines{fmt::format("train: {}, {} different words{}; labels at {}", describe(train_counts_),
                                             with_commas(different), train_counts_.left_out > 0 ? " in all trees" : "",
                                             labelled_nodes(train_counts_))};
  lines.push_back(fmt::format("{} classes: ", classes_.size()));
  for (size_t i = 0; i < std::min(classes_.size(), most_shown); ++i)
    lines.back() += fmt::format("{}{}: {}", i == 0 ? "" : ", ", classes_[i], with_commas(train_counts_.roots[i]));
  if (classes_.size() > most_shown) lines.back() += fmt::format(", and {} more", classes_.size() - most_shown);
  const double unknown =
      static_cast<double>(dev_counts_.unknown) / static_cast<double>(std::max<size_t>(dev_counts_.words, 1));
  lines.push_back(fmt::format("dev: {}; {:.1f} % of the words are unknown", describe(dev_counts_), 100 * unknown));
  if (test_trees_ > 0)
    lines.push_back(fmt::format("test: {} trees, for espalier eval --part test", with_commas(test_trees_)));
  return lines;
}

void TreesTask::build(Scope p) {
  const auto node = tree_nodes.find(model_name_);
  models::RareWords rare = rare_words(words_, unknown_);
  if (!rare.share.empty()) rare.share.resize(static_cast<size_t>(rows()));  // 0: the marker of unary nodes stays
  const Init near_zero = init::uniform(-0.05f, 0.05f);                      // for words without a vector
  models::TreeClassifier::Options o{.tree = {.tokens = rows(),
                                             .dim = dim_,
                                             .hidden = hidden_,
                                             .token_dropout = static_cast<float>(word_dropout_),
                                             .node_dropout = static_cast<float>(node_dropout_),
                                             .table = "words",
                                             .start = vectors_ == "none" ? start_ : near_zero,
                                             .rare = rare},
                                    .bag_of_words = node == tree_nodes.end(),
                                    .classes = static_cast<int>(classes_.size()),
                                    .out_dropout = static_cast<float>(out_dropout_),
                                    .class_weights = weights_};
  if (node != tree_nodes.end()) o.tree.node = node->second;
  model_.emplace(p, o);
}

std::vector<Expr> TreesTask::losses(Graph& g, const ClassifiedTree& e) const {
  if (supervise_ == "all") return model_->losses(g, e.tree, e.classes);
  return {model_->root_loss(g, e.tree, class_of(e))};
}

TaskKind trees_kind() {
  return {.name = "trees",
          .what = "Classes of trees, with labels at all nodes or at the root: Tree-LSTM, TreeRNN or RNTN",
          .paper = "Tai et al. 2015; Socher et al. 2011, 2013",
          .data = "--train FILE",
          .line = "a tree in the form of the training trees; its labels are ignored",
          .metric = "accuracy",
          .higher_is_better = true,
          .make = make_task<TreesTask>};
}

}  // namespace espalier::app
