// Lesson 18: fizz-buzz.
//
// The input is the bits of a number; the answer is one of four classes. Trained on 101…1023, tested on 1…100.
#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace esp = espalier;
using namespace espalier::block;
using esp::Expr;

// --- model from here
Block<int, Expr> fizz_buzz(esp::Scope p) {
  auto bits = of<int>([](int n) {
    std::array<float, 10> of_n;
    for (size_t i = 0; i < of_n.size(); ++i) of_n[i] = static_cast<float>(n >> i & 1);
    return of_n;
  });
  return bits >> vector(10) >> esp::nn::FC(p / "hidden", 10, 100) >> esp::nn::Linear(p / "out", 100, 4);
}
// --- to here

int answer(int n) { return n % 15 == 0 ? 3 : n % 5 == 0 ? 2 : n % 3 == 0 ? 1 : 0; }

int main() {
  std::vector<int> train(923), test(100);
  std::iota(train.begin(), train.end(), 101);
  std::iota(test.begin(), test.end(), 1);

  esp::Engine engine;
  esp::Parameters params(18);
  const auto model = fizz_buzz(params);
  esp::optim::Adam adam(params, {.lr = 0.01f});
  for (uint64_t epoch = 0; epoch < 100; ++epoch)
    for (const auto& m : esp::train::minibatches(train.size(), 64, 18, epoch)) {
      auto batch = engine.record(
          m, [&](esp::Graph& g, size_t i) { return cross_entropy(model(g, train[i]), answer(train[i])); });
      adam.step(engine.backward(batch.results, 1.f / 64));
    }

  const std::vector<esp::Tensor> scores = engine.infer(engine.record(test, model, {.mode = esp::Mode::infer}));
  esp::train::Mean right;
  for (size_t i = 0; i < test.size(); ++i) {
    const auto best = static_cast<int>(std::ranges::max_element(scores[i]) - scores[i].begin());
    right.add(best == answer(test[i]));
    const std::string said[] = {std::to_string(test[i]), "fizz", "buzz", "fizzbuzz"};
    std::printf("%s%s", said[best].c_str(), i % 15 == 14 ? "\n" : " ");
  }
  std::printf("\naccuracy: %.2f\n", right.get());
}
