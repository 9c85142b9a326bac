// Lesson 3: how calls are batched.
//
// The program has no batch dimension, yet thousands of calls run in a few dozen steps. A step is one cell with all its
// calls that run together. `explain` prints the steps, like EXPLAIN for a database query. A policy assigns calls to
// steps; the results do not depend on it.
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;

struct Tree {
  int word = 0, label = 0;
  std::unique_ptr<Tree> left{}, right{};
};

// A tree with this many leaves, split at random.
Tree random_tree(std::mt19937& random, int leaves) {
  const int word = static_cast<int>(random() % 1000), label = static_cast<int>(random() % 5);
  if (leaves == 1) return {word, label};
  const int split = 1 + static_cast<int>(random() % static_cast<unsigned>(leaves - 1));
  auto left = std::make_unique<Tree>(random_tree(random, split));
  auto right = std::make_unique<Tree>(random_tree(random, leaves - split));
  return {word, label, std::move(left), std::move(right)};
}

struct Sentiment {
  esp::nn::Embedding words;
  esp::nn::TreeLSTM lstm;
  esp::nn::Linear out;
  explicit Sentiment(esp::Scope p) : words(p / "words", 1000, 32), lstm(p / "lstm", 32, 32), out(p / "out", 32, 5) {}

  // A loss at every node, as in the Stanford Sentiment Treebank. emit() stores a value in the batch under a name.
  esp::nn::State encode(esp::Graph& g, const Tree& t) const {
    esp::nn::State s;
    if (t.left) {
      const esp::nn::State left = encode(g, *t.left);
      const esp::nn::State right = encode(g, *t.right);
      s = lstm.node(left, right);
    } else {
      s = lstm.leaf(words(g, t.word));
    }
    g.emit("loss", cross_entropy(out(s.h), t.label));
    return s;
  }
};

int main() {
  std::mt19937 random(3);
  std::vector<Tree> trees;
  for (int i = 0; i < 64; ++i) trees.push_back(random_tree(random, 2 + static_cast<int>(random() % 38)));

  esp::Parameters params(3);
  const Sentiment model(params);
  auto record = [&](esp::Graph& g, const Tree& t) { return model.encode(g, t); };

  std::printf("64 trees, forward and backward:\n\n%-8s %6s %6s %9s %10s\n", "policy", "calls", "steps", "launches",
              "loss");
  for (esp::Policy policy : {esp::Policy::none, esp::Policy::depth, esp::Policy::agenda, esp::Policy::automatic}) {
    esp::Engine engine({.policy = policy});
    auto batch = engine.record(trees, record);
    const float loss = engine.backward(batch.emitted("loss")).loss().get();
    const esp::Counters c = engine.counters();
    std::printf("%-8s %6d %6d %9d %10.2f\n", std::string(name(policy)).c_str(), static_cast<int>(c.calls),
                static_cast<int>(c.steps), static_cast<int>(c.launches), loss);
  }

  esp::Engine engine;
  auto two = engine.record(std::span(trees).first(2), record);
  std::printf("\nThe first two trees, explained:\n\n%s", engine.explain(two).c_str());
}
