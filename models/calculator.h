// A calculator: predicts the sign of an expression, which is a number or an operation on two expressions. Each operator
// has its own layer. Written in blocks, after TensorFlow Fold's first example (Looks et al. 2017).
#pragma once
#include <map>
#include <string>

#include <espalier/block.h>
#include <espalier/data/arithmetic.h>
#include <espalier/espalier.h>

namespace espalier::models {

// A subtree of an expression.
struct CalculatorPart {
  const data::arithmetic::Expression* whole;
  uint32_t at;

  const data::arithmetic::Expression::Node& node() const { return whole->nodes[at]; }
  CalculatorPart left() const { return {whole, node().left}; }
  CalculatorPart right() const { return {whole, node().right}; }
};

// Scores of the classes negative, zero, positive. Numbers must be digits.
inline block::Block<CalculatorPart, Expr> calculator(Scope p, int hidden) {
  using namespace block;
  using Part = CalculatorPart;
  constexpr int digits = 10;
  auto value = fix<Part, Expr>({hidden}, [&](auto self) {
    auto left = of<Part>([](const Part& part) { return part.left(); }) >> self;
    auto right = of<Part>([](const Part& part) { return part.right(); }) >> self;
    auto operands = all_of(left, right) >> concat();
    std::map<char, Block<Part, Expr>> cases;
    cases['\0'] = of<Part>([](const Part& part) { return part.node().value; }) >> one_hot(digits) >>
                  nn::FC(p / "number", digits, hidden, {.activation = tanh});
    for (const char op : {'+', '-', '*'})
      cases[op] = operands >> nn::FC(p / std::string(1, op), 2 * hidden, hidden, {.activation = tanh});
    return one_of(of<Part>([](const Part& part) { return part.node().op; }), cases);
  });
  return value >> nn::Linear(p / "sign", hidden, 3);
}

}  // namespace espalier::models
