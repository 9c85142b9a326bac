// Lesson 8: what goes wrong, and what you are told.
//
// This program fails on purpose, four times. A message says who complains, what was given, what is needed, and the line
// of your program. Nothing is lost: after each error the engine goes on.
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

  // 1. Shapes are checked where the expression is written, not when it runs.
  try {
    esp::Graph g = engine.graph();
    model.out(model.words(g, 3));  // 8 numbers, where the layer takes 16
  } catch (const esp::ShapeError& e) {
    std::printf("1. shape: %s\n", e.what());
  }

  // 2. An index is checked when it is recorded, and the example is named. With skip_bad, bad examples are left out.
  const std::vector<std::vector<int>> one_bad{{1, 2, 3}, {4, 1000}, {6}};
  try {
    engine.record(one_bad, record);
  } catch (const esp::IndexError& e) {
    std::printf("2. index: %s\n", e.what());
  }
  auto rest = engine.record(one_bad, record, {.skip_bad = true});
  std::printf("   with skip_bad: %zu recorded, %zu left out\n", rest.results.size(), rest.failed.size());

  // 3. An Expr owns nothing. One that outlives its graph is found out, it does not crash.
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

  // 4. A loss that is not a number: where did it begin? Immediate mode runs each call as it is recorded, and stops at
  //    the first NaN, at the line of your program that made the call. Slow: for debugging.
  esp::Engine careful({.immediate = true});
  try {
    careful.record(good, [&](esp::Graph& g, const std::vector<int>& sentence) {
      const Expr loss = model(g, sentence);
      const Expr margin = 0.5f - loss;  // negative,
      return sqrt(margin);              // so this is not a number
    });
  } catch (const esp::NumberError& e) {
    std::printf("4. nan:   %s\n", e.what());
  }

  auto batch = engine.record(good, record);
  std::printf("and the engine goes on: loss %.4f\n", engine.backward(batch.results).loss().get());
}
