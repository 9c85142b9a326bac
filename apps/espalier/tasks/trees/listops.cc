// listops: the value of nested lists such as [MAX 2 9 [MIN 4 7 ] 0 ].
#include <espalier/data/listops.h>
#include <espalier/text/lines.h>

#include "tasks/kinds.h"
#include "tasks/trees/expression_task.h"

namespace espalier::app {
namespace {

namespace listops = data::listops;

// Every closed list has a class, and so has the root, which may be a digit.
LabelledTree labelled(const listops::Expression& expression) {
  const listops::BinaryTree tree = listops::binarise(expression);
  LabelledTree result;
  for (const listops::BinaryTree::Node& node : tree.nodes) {
    result.tree.nodes.push_back({node.token, node.left, node.right});
    result.classes.push_back(node.is_leaf() ? -1 : node.value);
  }
  result.classes.back() = tree.value();
  return result;
}

size_t length(const LabelledTree& e) { return (e.tree.nodes.size() + 1) / 2; }  // in tokens

class ListOps : public ExpressionTask {
 public:
  ListOps() {
    training.epochs = 10;
    training.batch = 64;
    training.lr = 3e-3;
    training.schedule = "cosine";
    training.clip = 1;
  }
  void settings(Fields& f) override {
    ExpressionTask::settings(f);
    f.add("max-tokens", max_tokens_, 0, "Train on expressions with at most N tokens; 0: on all");
  }

 protected:
  int tokens() const override { return listops::tokens; }
  std::vector<std::string> labels() const override { return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; }
  std::string file() const override { return "listops/train_d20s.tsv|listops/train_d20s_regenerated.tsv.gz"; }
  Groups groups() const override { return {"length in tokens", {"up to 20", "21 to 100", "more than 100"}}; }
  size_t group_of(const LabelledTree& e) const override { return length(e) <= 20 ? 0 : length(e) <= 100 ? 1 : 2; }
  bool is_trained_on(const LabelledTree& e) const override {
    return max_tokens_ == 0 || length(e) <= static_cast<size_t>(max_tokens_);
  }
  std::vector<LabelledTree> read_file(const std::string& path) const override {
    data::Lines lines(path);
    std::vector<LabelledTree> all;
    for (listops::Expression e; listops::next(lines, e);) all.push_back(labelled(e));
    return all;
  }
  std::vector<LabelledTree> generated(size_t n) const override {
    std::vector<LabelledTree> all;
    for (const auto& e : listops::generate(n, 1, {.max_tokens = static_cast<size_t>(max_tokens_)}))
      all.push_back(labelled(e));
    return all;
  }
  LabelledTree parse(const std::string& line) const override { return labelled(listops::parse(line, "line")); }

 private:
  int max_tokens_ = 0;
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
          .make = make_task<ListOps>};
}

}  // namespace espalier::app
