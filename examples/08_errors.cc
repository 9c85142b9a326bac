// Lesson 8: errors and their messages.
//
// This program fails on purpose, four times. A message names the op, the arguments it got, the arguments it needs, and
// the line of your program. The engine stays usable after every error.
#include <cstdio>
#include <string>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

struct Model {
  esp::nn::Embedding words;
  esp::nn::LSTM lstm;
  esp::nn::Linear out;
  explicit Model(esp::Scope p) : words(p / "words", 100, 8), lstm(p / "lstm", 8, 16), out(p / "out", 16, 2) {}

  Expr operator()(esp::Graph& g, const std::vector<int>& sentence) const {
    esp::nn::State s;
    for (int word : sentence) s = lstm(words(g, word), s);
    return cross_entropy(out(s.h), 1);
  }
};

int main() {
  esp::Engine engine;
  esp::Parameters params(8);
  const Model model(params);
  auto record = [&](esp::Graph& g, const std::vector<int>& sentence) { return model(g, sentence); };
  const std::vector<std::vector<int>> good{{1, 2, 3}, {4, 5}};

  // 1. Shapes are checked when a call is recorded, not when it runs.
  try {
    esp::Graph g = engine.graph();
    model.out(model.words(g, 3));  // a row of 8, but the layer takes 16
  } catch (const esp::ShapeError& e) {
    std::printf("1. shape: %s\n", e.what());
  }

  // 2. Indices are checked when a call is recorded, and the message names the example. skip_bad skips bad examples.
  const std::vector<std::vector<int>> one_bad{{1, 2, 3}, {4, 1000}, {6}};
  try {
    engine.record(one_bad, record);
  } catch (const esp::IndexError& e) {
    std::printf("2. index: %s\n", e.what());
  }
  auto rest = engine.record(one_bad, record, {.skip_bad = true});
  std::printf("   with skip_bad: %zu recorded, %zu skipped\n", rest.results.size(), rest.failed.size());

  // 3. An Expr owns nothing. Using one that outlives its graph is an error, not a crash.
  Expr kept;
  {
    esp::Graph g = engine.graph();
    kept = model(g, good[0]);
  }
  try {
    engine.value(kept + 1);
  } catch (const esp::GraphError& e) {
    std::printf("3. stale: %s\n", e.what());
  }

  // 4. The loss is NaN: which call produced it first? Immediate mode runs each call when it is recorded and throws at
  //    the first NaN, with the line of your program that recorded the call. It is slow: use it for debugging.
  esp::Engine careful({.immediate = true});
  try {
    careful.record(good, [&](esp::Graph& g, const std::vector<int>& sentence) {
      const Expr loss = model(g, sentence);
      const Expr margin = 0.5f - loss;  // negative
      return sqrt(margin);              // NaN
    });
  } catch (const esp::NumberError& e) {
    std::printf("4. nan:   %s\n", e.what());
  }

  auto batch = engine.record(good, record);
  std::printf("the engine still works: loss %.4f\n", engine.backward(batch.results).loss().get());
}
