// Lesson 15: a calculator in blocks.
//
// Blocks are a second way to write a model: small functions on data, composed with >>, as in TensorFlow Fold. An
// expression is a number or an operation on two expressions. Its block has a case for each and applies itself to the
// operands; each operator has its own layer. The network learns the sign of the value: negative, zero, positive.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace esp = espalier;
using namespace espalier::block;
using esp::Expr;

struct Operation;
using Expression = std::variant<int, std::unique_ptr<Operation>>;
struct Operation {
  char symbol;
  Expression left, right;
};

// --- model from here
Block<Expression, Expr> sign_of(esp::Scope p, int h) {
  auto value = fix<Expression, Expr>({h}, [&](auto self) {
    auto number = identity<int>() >> one_hot(10) >> esp::nn::FC(p / "number", 10, h, {.activation = esp::tanh});
    auto operands = all_of(field<&Operation::left>() >> self, field<&Operation::right>() >> self) >> concat();
    std::map<char, Block<Operation, Expr>> operations;
    for (char symbol : {'+', '-', '*'})
      operations[symbol] = operands >> esp::nn::FC(p / std::string(1, symbol), 2 * h, h, {.activation = esp::tanh});
    return one_of<Expression>(number, one_of(field<&Operation::symbol>(), operations));
  });
  return value >> esp::nn::Linear(p / "sign", h, 3);
}
// --- to here

Expression random_expression(std::mt19937& random, int depth) {
  if (depth == 0 || random() % 4 == 0) return static_cast<int>(random() % 10);
  auto operation = std::make_unique<Operation>();
  operation->symbol = "+-*"[random() % 3];
  operation->left = random_expression(random, depth - 1);
  operation->right = random_expression(random, depth - 1);
  return operation;
}
int value_of(const Expression& e) {
  if (const int* number = std::get_if<int>(&e)) return *number;
  const Operation& o = *std::get<1>(e);
  const int left = value_of(o.left), right = value_of(o.right);
  return o.symbol == '+' ? left + right : o.symbol == '-' ? left - right : left * right;
}
std::string text_of(const Expression& e) {
  if (const int* number = std::get_if<int>(&e)) return std::to_string(*number);
  const Operation& o = *std::get<1>(e);
  return "(" + text_of(o.left) + o.symbol + text_of(o.right) + ")";
}
int sign(int value) { return value < 0 ? 0 : value == 0 ? 1 : 2; }

int main() {
  std::mt19937 random(15);
  std::vector<Expression> train, test;
  for (int i = 0; i < 8000; ++i) train.push_back(random_expression(random, 3));
  for (int i = 0; i < 500; ++i) test.push_back(random_expression(random, 3));

  esp::Engine engine;
  esp::Parameters params(15);
  const auto model = sign_of(params, 24);
  esp::optim::Adam adam(params, {.lr = 0.01f});
  for (uint64_t epoch = 0; epoch < 16; ++epoch) {
    esp::train::Mean loss;
    for (const auto& m : esp::train::minibatches(train.size(), 50, 15, epoch)) {
      auto batch = engine.record(
          m, [&](esp::Graph& g, size_t i) { return cross_entropy(model(g, train[i]), sign(value_of(train[i]))); });
      auto gradients = engine.backward(batch.results, 1.f / 50);
      adam.step(gradients);
      loss.add(gradients.loss());
    }
    if (epoch % 4 == 3) std::printf("epoch %2d: loss %.3f\n", static_cast<int>(epoch), loss.get());
  }

  auto batch = engine.record(test, model, {.mode = esp::Mode::infer});
  const std::string how = engine.explain(batch);
  std::printf("%s\n", how.substr(0, how.find('\n')).c_str());
  const std::vector<esp::Tensor> scores = engine.infer(batch);
  esp::train::Mean right;
  for (size_t i = 0; i < test.size(); ++i) {
    const auto best = std::ranges::max_element(scores[i]) - scores[i].begin();
    right.add(best == sign(value_of(test[i])));
    if (i < 4) std::printf("%s is %s 0\n", text_of(test[i]).c_str(), best == 0 ? "<" : best == 1 ? "=" : ">");
  }
  std::printf("accuracy: %.3f\n", right.get());
}
