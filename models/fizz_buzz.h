// Fizz-buzz: predicts the answer from the bits of a number. Written in blocks, after an example of TensorFlow Fold.
#pragma once
#include <array>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace espalier::models {

// Scores of the classes number, fizz, buzz, fizzbuzz.
inline block::Block<int, Expr> fizz_buzz(Scope p, int hidden) {
  using namespace block;
  constexpr int digits = 10;
  auto bits = of<int>([](int n) {
    std::array<float, digits> of_n;
    for (size_t i = 0; i < of_n.size(); ++i) of_n[i] = static_cast<float>(n >> i & 1);
    return of_n;
  });
  return bits >> vector(digits) >> nn::FC(p / "hidden", digits, hidden) >> nn::Linear(p / "out", hidden, 4);
}

}  // namespace espalier::models
