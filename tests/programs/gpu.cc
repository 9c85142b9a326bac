// The code of docs/gpu.md, run on the CPU: learns which words belong together.
#include <algorithm>
#include <cstdio>

#include <espalier/espalier.h>

namespace {

using namespace espalier;

struct Model {
  nn::Embedding words;
  nn::Linear out;
  explicit Model(Scope p) : words(p / "words", 30, 8), out(p / "out", 8, 3) {}
  Expr loss(Graph& g, int word) const { return cross_entropy(out(words(g, word)), word % 3); }
};

}  // namespace

int main() {
  Engine engine;
  Parameters params;
  const Model model(params);
  optim::Adam optimizer(params, {.lr = 0.05f});
  std::vector<int> examples;
  for (int i = 0; i < 30; ++i) examples.push_back(i);
  std::vector<Minibatch> minibatches;
  for (uint64_t k = 0; k < 300; ++k) minibatches.push_back({{k * 7 % 30, k * 11 % 30, k * 13 % 30, k % 30}, 0});

  // --- docs from here
  Pipeline pipeline(engine, 6, [&](Graph& g, uint64_t id) { return model.loss(g, examples[id]); });
  for (const Minibatch& minibatch : minibatches) {
    pipeline.push(minibatch);
    if (pipeline.size() > 6) optimizer.step(pipeline.backward());
  }
  while (pipeline.size() > 0) optimizer.step(pipeline.backward());
  // --- to here

  const auto losses = engine.infer(
      engine.record(examples, [&](Graph& g, int word) { return model.loss(g, word); }, {.mode = Mode::infer}));
  float worst = 0;
  for (const Tensor& loss : losses) worst = std::max(worst, loss.item());
  std::printf("%s\n", worst < 0.5f ? "all is learnt" : "not all is learnt");
}
