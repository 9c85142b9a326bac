// fizz-buzz: trained on 101 to 1023, evaluated on 1 to 100.
#include <charconv>

#include <fmt/format.h>
#include <espalier/data/synthetic/fizz_buzz.h>
#include <espalier/text/lines.h>

#include "models/fizz_buzz.h"
#include "task/classifier_task.h"
#include "tasks/examples/line_examples.h"
#include "tasks/kinds.h"

namespace espalier::app {
namespace {

constexpr int largest = 1023;  // ten bits
const std::string fizz_buzz_line = "a number, such as 15";

int read_number(const data::Lines& lines) {
  const std::string_view line = lines.line();
  int number = -1;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc{} || end != line.data() + line.size() || number < 0 || number > largest)
    lines.fail(1, fmt::format("'{}' is not an integer from 0 to {}", line, largest));
  return number;
}

std::vector<int> numbers(int first, int last) {
  std::vector<int> all;
  for (int n = first; n <= last; ++n) all.push_back(n);
  return all;
}

class FizzBuzz : public ClassifierTask<int> {
 public:
  FizzBuzz() {
    training.epochs = 200;
    training.batch = 64;
    training.lr = 0.01;
  }
  void settings(Fields& f) override { f.add("hidden", hidden_, 1, "Units of the hidden layer"); }
  void read() override {
    train_ = numbers(101, largest);
    read_dev();
  }
  void read_dev() override { dev_ = numbers(1, 100); }
  void read_dev(const std::string& path) override { dev_ = line_examples<int>(path, read_number); }
  void build(Scope p) override { model_ = models::fizz_buzz(p, hidden_); }

 protected:
  Expr scores(Graph& g, const int& number) const override { return model_(g, number); }
  int class_of(const int& number) const override { return data::fizz_buzz::answer(number); }
  std::vector<std::string> labels() const override {
    return {data::fizz_buzz::answer_names.begin(), data::fizz_buzz::answer_names.end()};
  }
  int parse(const std::string& line) const override { return line_example<int>(line, fizz_buzz_line, read_number); }

 private:
  int hidden_ = 100;
  block::Block<int, Expr> model_;
};

}  // namespace

TaskKind fizz_buzz_kind() {
  return {.name = "fizz-buzz",
          .what = "Fizz-buzz, from the bits of a number",
          .paper = "an example of TensorFlow Fold (Looks et al. 2017)",
          .data = "generated",
          .line = fizz_buzz_line,
          .metric = "accuracy",
          .higher_is_better = true,
          .make = make_task<FizzBuzz>};
}

}  // namespace espalier::app
