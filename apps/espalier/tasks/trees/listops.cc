// listops: the value of nested lists such as [MAX 2 9 [MIN 4 7 ] 0 ].
#include <numeric>

#include <espalier/data/listops.h>

#include "tasks/examples/hold_out.h"
#include "tasks/kinds.h"
#include "tasks/trees/trees_task.h"

namespace espalier::app {
namespace {

namespace listops = data::listops;

class ListOps : public TreesTask {
 public:
  ListOps() {
    training.epochs = 10;
    training.patience = 0;
    training.batch = 64;
    training.lr = 3e-3;
    training.schedule = "cosine";
    training.clip = 1;
    train_file_ = "listops/train_d20s.tsv|listops/train_d20s_regenerated.tsv.gz";
    form_name_ = "listops";
    hidden_ = 64;
    dim_ = 32;
    unknown_ = word_dropout_ = out_dropout_ = 0;
    start_ = init::normal(0, 1);
  }
  void settings(Fields& f) override {
    TreesTask::settings(f);
    f.add("generate", generate_, 0, "Generate this many expressions instead of reading a file; 0: read the file");
    f.add("held-out", held_out_, 1, "Number of dev expressions without --dev and --folds, at most a fifth");
    f.add("max-tokens", max_tokens_, 0, "Train on expressions with at most N tokens; 0: on all");
  }

 protected:
  std::vector<std::string> given_labels() const override {
    const auto names = listops::vocabulary();
    return {names.begin(), names.begin() + 10};
  }
  Groups groups() const override { return {"length in tokens", {"up to 20", "21 to 100", "more than 100"}}; }
  size_t group_of(const ClassifiedTree& e) const override {
    const size_t tokens = (e.tree.nodes.size() + 1) / 2;
    return tokens <= 20 ? 0 : tokens <= 100 ? 1 : 2;
  }

  TreeFile training_file() override {
    if (generate_ == 0) return TreesTask::training_file();
    TreeFile file = empty_file("the generated expressions");
    form_ = data::labelled_tree::Form::listops;
    const auto n = static_cast<size_t>(generate_);
    for (const auto& e : listops::generate(n, 1, {.max_tokens = static_cast<size_t>(max_tokens_)}))
      file.trees.push_back(data::labelled_tree::parse(to_text(e), *form_, file.labels, file.words));
    return file;
  }
  Split division(const TreeFile& file) const override {
    if (folds.count > 1) return TreesTask::division(file);
    Split parts;
    parts.train.resize(file.trees.size());
    std::iota(parts.train.begin(), parts.train.end(), uint64_t{0});
    parts.dev = hold_out(parts.train, static_cast<size_t>(held_out_));
    return parts;
  }
  bool is_trained_on(const Tree& tree) const override {
    const auto tokens = std::ranges::count_if(tree.nodes, [](const Tree::Node& n) { return n.is_leaf(); });
    return max_tokens_ == 0 || tokens <= max_tokens_;
  }

 private:
  int generate_ = 0, held_out_ = 5000, max_tokens_ = 0;
};

}  // namespace

TaskKind listops_kind() {
  return {.name = "listops",
          .what = "The value of nested lists of digits: Tree-LSTM, TreeRNN or RNTN over the binarised tree",
          .paper = "Nangia & Bowman 2018; Tai et al. 2015",
          .data = "listops/train_d20s.tsv",
          .line = "a list such as [MAX 2 9 [MIN 4 7 ] 0 ]",
          .metric = "accuracy",
          .higher_is_better = true,
          .preset_of = "trees",
          .make = make_task<ListOps>};
}

}  // namespace espalier::app
