// The code of docs/performance.md: a dry run of chains of unequal length reports the cell that runs alone, and why; an
// example is recorded once for several epochs.
#include <cstdio>
#include <vector>

#include <espalier/espalier.h>

int main() {
  espalier::Engine engine;
  espalier::Parameters params(1);
  const espalier::nn::Embedding words(params / "words", 10, 8);
  const espalier::nn::GRU gru(params / "gru", 8, 8);
  const std::vector<std::vector<int>> sentences{{1, 2}, {3, 4, 5, 6, 7}};
  auto batch = engine.record(sentences, [&](espalier::Graph& g, const std::vector<int>& sentence) {
    espalier::Expr h = gru(words(g, sentence[0]));
    for (size_t i = 1; i < sentence.size(); ++i) h = gru(words(g, sentence[i]), h);
    return h;
  });
  // clang-format off
// --- docs from here
const espalier::DryRun run = engine.dry_run(batch);
for (const auto& a : run.alone) std::printf("%s: %s\n", run.cells[a.cell].name.c_str(), a.why.c_str());
// --- to here
  // clang-format on
  std::printf("%zu calls in %zu steps\n", run.calls, run.steps.size());

  espalier::optim::Adam adam(params);
  const auto loss = [&](espalier::Graph& g, const std::vector<int>& sentence) {
    return sum_elements(gru(words(g, sentence[0])));
  };
  // clang-format off
// --- docs from here
const espalier::Recorded kept([&](espalier::Graph& g, uint64_t id) { return loss(g, sentences[id]); });
for (uint64_t epoch = 0; epoch < 3; ++epoch)
  for (const espalier::Minibatch& m : espalier::train::minibatches(sentences.size(), 2, /*seed*/ 1, epoch))
    adam.step(engine.backward(engine.record(m, kept)));  // the first epoch calls the function, later epochs replay
// --- to here
  // clang-format on
  std::printf("%zu recordings, %d replayed\n", kept.size(), static_cast<int>(kept.hits()));
}
