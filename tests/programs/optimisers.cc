// The code of docs/optimisers.md, in a small training.
#include <cstdio>

#include <espalier/espalier.h>

namespace optim = espalier::optim;

int main() {
  espalier::Engine engine;
  espalier::Parameters params;
  const espalier::nn::Embedding words(params / "words", 30, 8);
  const espalier::nn::Linear out(params / "out", 8, 3);
  const auto record = [&] {
    return engine.record(std::vector<int>{0, 1, 2, 7, 8, 9}, [&](espalier::Graph& g, int word) {
      return cross_entropy(out(words(g, word)), word % 3);
    });
  };

  // clang-format off
// --- docs from here
optim::Adam adam(params, {.lr = 1e-2f, .weight_decay = 1e-4f, .clip_norm = 5});
adam.group("words.*", 0.1f, 0.f);                                // word vectors: a tenth of the rate, no decay
adam.set_schedule(optim::WarmUp(100, optim::CosineAnnealingLR(1e-2f, 20'000)));
optim::MovingAverage average(params, 0.99f);
for (int step = 0; step < 1000; ++step) {
  auto batch = record();
  average.step(adam, engine.backward(batch.results));            // adam.step, then updates the averages
}
average.swap_in();                                               // evaluate with the averages …
const std::vector<espalier::Tensor> losses = engine.infer(record());
average.swap_out();                                              // … and continue, bit for bit
// --- to here
  // clang-format on
  std::printf("%s%s", losses[0].item() < 0.5f ? "the averages have learnt\n" : "", params.summary().c_str());
}
