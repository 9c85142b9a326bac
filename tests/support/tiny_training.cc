#include "support/tiny_training.h"

#include <espalier/nn/modules.h>
#include <espalier/optim/optimizer.h>

namespace espalier::test {

std::vector<float> tiny_training(Engine& engine) {
  Parameters params(3);
  const Scope p(params);
  const nn::Embedding words(p / "words", 9, 4);
  const nn::LSTM lstm(p / "lstm", 4, 5);
  const nn::Linear out(p / "out", 5, 3);
  optim::Adam adam(params, {.lr = 0.1f});
  const std::vector<std::vector<int>> sentences{{1}, {2, 3, 4}, {5, 6}, {7, 8, 1, 2}, {0, 0, 3}};
  std::vector<float> numbers;
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    auto batch = engine.record(sentences,
                               [&](Graph& g, const std::vector<int>& sentence) {
                                 nn::State s;
                                 for (int w : sentence) s = lstm(words(g, w), s);
                                 return cross_entropy(out(dropout(s.h, 0.2f)), sentence[0] % 3);
                               },
                               {.epoch = epoch});
    const Gradients gradients = engine.backward(batch.results, 0.2f);
    adam.step(gradients);
    numbers.push_back(gradients.loss().get());
  }
  for (const Parameter& parameter : params.all())
    for (float v : parameter.value()) numbers.push_back(v);
  return numbers;
}

}  // namespace espalier::test
