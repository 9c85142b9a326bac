// arithmetic: the value of sums and differences such as ( + ( ( - ( 7 8 ) ) -9 ) ).
#include <cstdlib>

#include <fmt/format.h>
#include <espalier/data/arithmetic.h>
#include <espalier/data/binary_tree.h>
#include <espalier/text/lines.h>

#include "tasks/examples/line_examples.h"
#include "tasks/kinds.h"
#include "tasks/trees/expression_task.h"

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
LabelledTree labelled(const arithmetic::Expression& expression) {
  LabelledTree result{arithmetic::binarise(expression), {}};
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

class Arithmetic : public ExpressionTask {
 public:
  Arithmetic() {
    training.epochs = 10;
    training.batch = 64;
    training.lr = 3e-3;
    training.schedule = "cosine";
    training.clip = 1;
    supervise_ = "root";
  }

 protected:
  int tokens() const override { return arithmetic::tokens; }
  std::vector<std::string> labels() const override {
    std::vector<std::string> all;
    for (int value = -arithmetic::largest; value <= arithmetic::largest; ++value) all.push_back(std::to_string(value));
    return all;
  }
  std::string file() const override { return "arithmetic/simple7_100k.tsv.gz"; }
  std::vector<LabelledTree> read_file(const std::string& path) const override {
    data::Lines lines(path);
    std::vector<LabelledTree> all;
    for (arithmetic::Expression e; next_arithmetic(lines, e);) all.push_back(labelled(e));
    return all;
  }
  std::vector<LabelledTree> generated(size_t n) const override {
    std::vector<LabelledTree> all;
    for (const arithmetic::Expression& e : arithmetic::generate(n, 1)) all.push_back(labelled(e));
    return all;
  }
  LabelledTree parse(const std::string& line) const override {
    return labelled(next_example<arithmetic::Expression>(line, arithmetic_line, next_arithmetic));
  }
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
