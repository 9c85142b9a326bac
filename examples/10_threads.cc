// Lesson 10: threads.
//
// With .threads = n, record calls your function in n threads, each with its own graph, and backward runs the graphs in
// parallel. Your function must not modify shared data. Results are in the order of the examples; neither they nor the
// dropout masks depend on which thread recorded an example.
#include <cmath>
#include <cstdio>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

struct Model {
  esp::nn::Embedding words;
  esp::nn::LSTM lstm;
  esp::nn::Linear out;
  explicit Model(esp::Scope p) : words(p / "words", 100, 16), lstm(p / "lstm", 16, 32), out(p / "out", 32, 3) {}

  Expr loss(esp::Graph& g, const std::vector<int>& sentence) const {
    esp::nn::State s;
    for (int word : sentence) s = lstm(dropout(words(g, word), 0.3f), s);
    return cross_entropy(out(s.h), sentence[0] % 3);
  }
};

int main() {
  esp::Parameters params(10);
  const Model model(params);
  std::vector<std::vector<int>> sentences;
  for (int i = 0; i < 300; ++i) sentences.emplace_back(static_cast<size_t>(1 + i % 23), i % 100);
  auto record = [&](esp::Graph& g, const std::vector<int>& s) { return model.loss(g, s); };

  // The same minibatch in one thread and in three. The order of summation differs, so the last digits may differ.
  esp::Engine one({.threads = 1, .seed = 10}), three({.threads = 3, .seed = 10});
  auto a = one.record(sentences, record), b = three.record(sentences, record);
  std::printf("%zu graph with %zu calls, %zu graphs with %zu calls\n", a.shards.size(), a.calls(), b.shards.size(),
              b.calls());
  auto one_gradient = one.backward(a.results), three_gradient = three.backward(b.results);
  std::printf("loss %.3f and %.3f, gradient norm %.3f and %.3f\n", one_gradient.loss().get(),
              three_gradient.loss().get(), one_gradient.norm(), three_gradient.norm());

  // Dropout masks depend on the id of an example, not on its position: example 250 alone gets the same mask as among
  // 300. The id is the position unless you pass .ids; train::minibatches passes them.
  const uint64_t id = 250;
  auto alone = one.record(std::span(sentences).subspan(id, 1), record, {.ids = {&id, 1}});
  const float x = one.value(alone.results[0]), y = three.value(b.results[id]);
  std::printf("example 250: alone %.5f, among 300 %.5f\n", x, y);

  // Pass losses to backward as a list: with several threads they belong to different graphs, which no op can join. In
  // one graph, a list and an explicit sum give the same loss.
  esp::Graph g = one.graph();
  std::vector<Expr> losses;
  for (uint64_t i = 0; i < 5; ++i) {
    g.example(i);
    losses.push_back(model.loss(g, sentences[i]));
  }
  const float list = one.backward(losses).loss().get(), tied = one.backward(sum(losses)).loss().get();
  std::printf("five losses as a list %.4f, as one sum %.4f\n", list, tied);
  return std::abs(list - tied) < 1e-3f && std::abs(x - y) < 1e-4f ? 0 : 1;
}
