// calculator: the sign of an expression.
#include <fmt/format.h>
#include <espalier/data/arithmetic.h>
#include <espalier/text/lines.h>

#include "models/calculator.h"
#include "task/classifier_task.h"
#include "tasks/examples/line_examples.h"
#include "tasks/kinds.h"

namespace espalier::app {
namespace {

namespace arithmetic = data::arithmetic;
using arithmetic::Expression;

const std::string calculator_line = "an expression of digits, such as 3 * (2 - 7)";

bool next_calculation(data::Lines& lines, Expression& e) {
  if (!arithmetic::next(lines, e)) return false;
  for (const Expression::Node& node : e.nodes)
    if (node.is_number() && (node.value < 0 || node.value > 9))
      lines.fail(1, fmt::format("{} is not a digit; needed {}", node.value, calculator_line));
  return true;
}

class Calculator : public ClassifierTask<Expression> {
 public:
  Calculator() {
    training.epochs = 16;
    training.batch = 50;
    training.lr = 0.01;
    training.schedule = "cosine";
  }
  void settings(Fields& f) override {
    f.add("examples", examples_, 1, "Number of training expressions");
    f.add("hidden", hidden_, 1, "Hidden units per subexpression");
  }
  void read() override {
    // All expressions differ, so the dev set is disjoint from the training set.
    train_ = arithmetic::generate(static_cast<size_t>(examples_) + dev_examples, 1, arithmetic::calculator);
    const auto first = train_.end() - dev_examples;
    dev_.assign(first, train_.end());
    train_.erase(first, train_.end());
  }
  void read_dev() override { read(); }
  void read_dev(const std::string& path) override {
    dev_.clear();
    data::Lines lines(path);
    for (Expression e; next_calculation(lines, e);) dev_.push_back(e);
  }
  void build(Scope p) override { model_ = models::calculator(p, hidden_); }

 protected:
  Expr scores(Graph& g, const Expression& e) const override { return model_(g, {&e, e.root()}); }
  int class_of(const Expression& e) const override { return e.value() < 0 ? 0 : e.value() == 0 ? 1 : 2; }
  std::vector<std::string> labels() const override { return {"below 0", "0", "above 0"}; }
  uint32_t size(const Expression& e) const override { return static_cast<uint32_t>(e.nodes.size()); }
  Expression parse(const std::string& line) const override {
    return next_example<Expression>(line, calculator_line, next_calculation);
  }

 private:
  static constexpr size_t dev_examples = 1000;

  int examples_ = 8000, hidden_ = 24;
  block::Block<models::CalculatorPart, Expr> model_;
};

}  // namespace

TaskKind calculator_kind() {
  return {.name = "calculator",
          .what = "Sign of an expression: one layer per operator",
          .paper = "an example of TensorFlow Fold (Looks et al. 2017)",
          .data = "generated",
          .line = calculator_line,
          .metric = "accuracy",
          .higher_is_better = true,
          .make = make_task<Calculator>};
}

}  // namespace espalier::app
