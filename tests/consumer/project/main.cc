// A user's program with the installed package: a cell, a batch of trees, training, and an error that is caught.
#include <cstdio>
#include <functional>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

struct Tree {
  int word = 0;
  std::vector<Tree> kids{};  // zero or two
};

int main() {
  esp::Engine engine({.threads = 2});
  esp::Parameters params(1);
  const esp::nn::Embedding words(params / "words", 10, 6);
  const esp::nn::Linear out(params / "out", 6, 2);
  const esp::Parameter W = (params / "tree").add("W", {6, 12});
  const auto node =
      (params / "tree").cell("node", {{6}, {6}}, [&](Expr l, Expr r) { return tanh(linear(concat(l, r), W)); });
  const std::function<Expr(esp::Graph&, const Tree&)> encode = [&](esp::Graph& g, const Tree& t) {
    return t.kids.empty() ? words(g, t.word) : node(encode(g, t.kids[0]), encode(g, t.kids[1]));
  };

  std::vector<Tree> trees;
  for (int i = 0; i < 10; ++i) trees.push_back(i % 3 ? Tree{i, {{i}, {0, {{i}, {i}}}}} : Tree{i});
  esp::optim::Adam adam(params, {.lr = 0.05f});
  std::vector<float> losses;
  for (int step = 0; step <= 10; ++step) {
    auto batch = engine.record(
        trees, [&](esp::Graph& g, const Tree& t) { return cross_entropy(out(encode(g, t)), t.word % 2); });
    auto gradients = engine.backward(batch.results, 0.1f);
    losses.push_back(gradients.loss().get());
    adam.step(gradients);
  }
  std::printf("espalier %s: loss %.3f, after ten steps %.3f\n", esp::version().c_str(), losses.front(), losses.back());

  bool refused = false;
  try {
    esp::Graph g = engine.graph();
    out(esp::zeros(g, {7}));
  } catch (const esp::ShapeError& e) {
    refused = true;
    std::printf("refused: %s\n", e.what());
  }
  return refused && losses.back() < 0.5f * losses.front() ? 0 : 1;
}
