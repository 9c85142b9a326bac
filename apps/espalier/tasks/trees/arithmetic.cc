// arithmetic: the value of sums and differences such as ( + ( ( - ( 7 8 ) ) -9 ) ).
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <espalier/data/arithmetic.h>
#include <espalier/data/binary_tree.h>
#include <espalier/text/lines.h>

#include "models/tree_classifier.h"
#include "task/classifier_task.h"
#include "tasks/examples/hold_out.h"
#include "tasks/examples/line_examples.h"
#include "tasks/kinds.h"
#include "tasks/trees/classified_tree.h"
#include "tasks/trees/tree_nodes.h"

namespace espalier::app {
namespace {

namespace arithmetic = data::arithmetic;

const std::string arithmetic_line = "an expression such as ( + ( ( - ( 7 8 ) ) -9 ) ) or 7 - 8 + -9";

// Reads the next expression. Its value must be one of the labels, and its operators those of the published file.
bool next_arithmetic(data::Lines& lines, arithmetic::Expression& e) {
  if (!arithmetic::next(lines, e)) return false;
  for (const arithmetic::Expression::Node& node : e.nodes)
    if (node.op == '*') lines.fail(1, "unknown operator '*'; needed + or -");
  if (std::abs(e.value()) > arithmetic::largest)
    lines.fail(1, fmt::format("the value {} is not a label; needed -{} … {}", e.value(), arithmetic::largest,
                              arithmetic::largest));
  return true;
}

int class_of_value(int value) { return std::abs(value) <= arithmetic::largest ? value + arithmetic::largest : -1; }

// Every operation whose value is one of the labels has a class. The tree of an operation joins the operator with a pair
// of operands; the pair has no class.
ClassifiedTree classified(const arithmetic::Expression& expression) {
  ClassifiedTree result{arithmetic::binarise(expression), {}};
  result.classes.assign(result.tree.nodes.size(), -1);
  const auto is_operation = [&](size_t i) {
    const data::binary_tree::Tree::Node& n = result.tree.nodes[i];
    return !n.is_leaf() && result.tree.nodes[n.left].leaf >= arithmetic::labels;
  };
  size_t at = 0;
  for (const arithmetic::Expression::Node& part : expression.nodes) {
    if (part.is_number()) continue;
    while (!is_operation(at)) ++at;
    result.classes[at++] = class_of_value(part.value);
  }
  result.classes.back() = class_of_value(expression.value());
  return result;
}

class Arithmetic : public ClassifierTask<ClassifiedTree> {
 public:
  Arithmetic() {
    training.epochs = 10;
    training.batch = 64;
    training.lr = 3e-3;
    training.schedule = "cosine";
    training.clip = 1;
  }
  void settings(Fields& f) override {
    f.add("model", model_name_, {"tree-lstm", "tree-rnn", "rntn", "bag-of-words"},
          "Architecture of tree nodes; bag-of-words ignores the tree, for comparison");
    f.add("supervise", supervise_, {"all", "root"}, "Losses at every subexpression with a value, or at the root only");
    f.add("hidden", hidden_, 1, "Hidden units of a tree node");
    f.add("dim", dim_, 1, "Token embedding size");
    f.add("generate", generate_, 0, "Generate this many expressions instead of reading a file; 0: read the file");
    f.add("held-out", held_out_, 1, "Number of dev expressions, at most a fifth");
  }

  void read() override {
    train_ = all();
    dev_ = hold_out(train_, static_cast<size_t>(held_out_));
  }
  void read_dev() override {
    std::vector<ClassifiedTree> examples = all();
    dev_ = hold_out(examples, static_cast<size_t>(held_out_));
  }
  void read_dev(const std::string& path) override { dev_ = read_file(path); }

  void build(Scope p) override {
    const auto node = tree_nodes.find(model_name_);
    models::TreeClassifier::Options o{.tree = {.tokens = arithmetic::tokens, .dim = dim_, .hidden = hidden_},
                                      .bag_of_words = node == tree_nodes.end(),
                                      .classes = arithmetic::labels};
    if (node != tree_nodes.end()) o.tree.node = node->second;
    model_.emplace(p, o);
  }

 protected:
  Expr scores(Graph& g, const ClassifiedTree& e) const override { return (*model_)(g, e.tree); }
  int class_of(const ClassifiedTree& e) const override { return e.classes.back(); }
  uint32_t size(const ClassifiedTree& e) const override { return static_cast<uint32_t>(e.tree.nodes.size()); }
  std::vector<std::string> labels() const override {
    std::vector<std::string> all;
    for (int value = -arithmetic::largest; value <= arithmetic::largest; ++value) all.push_back(std::to_string(value));
    return all;
  }
  std::vector<Expr> losses(Graph& g, const ClassifiedTree& e) const override {
    if (supervise_ == "all") return model_->losses(g, e.tree, e.classes);
    return {model_->root_loss(g, e.tree, class_of(e))};
  }
  ClassifiedTree parse(const std::string& line) const override {
    return classified(next_example<arithmetic::Expression>(line, arithmetic_line, next_arithmetic));
  }

 private:
  static std::vector<ClassifiedTree> read_file(const std::string& path) {
    data::Lines lines(path);
    std::vector<ClassifiedTree> all;
    for (arithmetic::Expression e; next_arithmetic(lines, e);) all.push_back(classified(e));
    return all;
  }
  std::vector<ClassifiedTree> all() const {
    if (generate_ == 0) return read_file(data_file(data, "arithmetic/simple7_100k.tsv.gz"));
    std::vector<ClassifiedTree> generated;
    for (const arithmetic::Expression& e : arithmetic::generate(static_cast<size_t>(generate_), 1))
      generated.push_back(classified(e));
    return generated;
  }

  std::string model_name_ = "tree-lstm", supervise_ = "root";
  int hidden_ = 64, dim_ = 32, generate_ = 0, held_out_ = 5000;
  std::optional<models::TreeClassifier> model_;
};

}  // namespace

TaskKind arithmetic_kind() {
  return {.name = "arithmetic",
          .what = "The value of sums and differences: Tree-LSTM, TreeRNN or RNTN over the expression",
          .paper = "Tai et al. 2015; Bowman et al. 2016 (data)",
          .data = "arithmetic/simple7_100k.tsv.gz",
          .line = arithmetic_line,
          .metric = "accuracy",
          .higher_is_better = true,
          .make = make_task<Arithmetic>};
}

}  // namespace espalier::app
