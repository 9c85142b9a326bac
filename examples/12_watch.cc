// Lesson 12: gradients with respect to intermediate values.
//
// A trained classifier predicts praise or blame. Which word is responsible? The gradient of the score with respect to
// the embedding of a word, times that embedding, measures its contribution. Parameters always have gradients; for any
// other value, call engine.watch(x) before backward.
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <espalier/espalier.h>

namespace esp = espalier;
using esp::Expr;

const std::vector<std::string> vocabulary{"the",  "film", "plot", "was",    "rather", "and",
                                          "long", "good", "bad",  "superb", "dull",   "moving"};
constexpr int first_opinion = 7;  // good, superb and moving are praise, bad and dull are not

struct Model {
  esp::nn::Embedding words;
  esp::nn::LSTM lstm;
  esp::nn::Linear out;
  explicit Model(esp::Scope p) : words(p / "words", 12, 8), lstm(p / "lstm", 8, 16), out(p / "out", 16, 2) {}

  Expr scores(const std::vector<Expr>& rows) const { return out(lstm.run(rows).back()); }
};

int main() {
  // Sentences of neutral words with one opinion word at a random position, which determines the label.
  std::mt19937 random(12);
  std::vector<std::vector<int>> sentences(400);
  std::vector<int> labels;
  for (auto& s : sentences) {
    s.resize(3 + random() % 6);
    for (int& word : s) word = static_cast<int>(random() % first_opinion);
    const int opinion = first_opinion + static_cast<int>(random() % 5);
    s[random() % s.size()] = opinion;
    labels.push_back(opinion % 2);  // 7, 9, 11: praise
  }

  esp::Engine engine;
  esp::Parameters params(12);
  const Model model(params);
  auto rows = [&](esp::Graph& g, const std::vector<int>& sentence) {
    std::vector<Expr> xs;
    for (int word : sentence) xs.push_back(model.words(g, word));
    return xs;
  };
  esp::optim::Adam adam(params, {.lr = 0.01f});
  for (uint64_t epoch = 0; epoch < 6; ++epoch)
    for (const auto& m : esp::train::minibatches(sentences.size(), 20, 12, epoch)) {
      auto batch = engine.record(
          m, [&](esp::Graph& g, size_t i) { return cross_entropy(model.scores(rows(g, sentences[i])), labels[i]); });
      adam.step(engine.backward(batch.results, 1.f / 20));
    }

  for (const std::vector<int>& sentence :
       {std::vector<int>{0, 1, 3, 4, 9, 5, 6}, std::vector<int>{0, 2, 3, 10, 5, 6}}) {
    esp::Graph g = engine.graph(esp::Mode::infer);
    const std::vector<Expr> xs = rows(g, sentence);
    const Expr scores = model.scores(xs), praise = pick(scores, 1) - pick(scores, 0);
    for (Expr x : xs) engine.watch(x);
    const esp::Gradients gradients = engine.backward(praise);
    std::printf("%s\n", gradients.loss().get() > 0 ? "praise" : "blame");
    for (size_t i = 0; i < xs.size(); ++i) {
      const esp::Tensor row = engine.tensor(xs[i]), slope = gradients.of(xs[i]);
      float share = 0;
      for (size_t k = 0; k < row.size(); ++k) share += row[k] * slope[k];
      std::printf("  %-8s %+.2f\n", vocabulary[static_cast<size_t>(sentence[i])].c_str(), share);
    }
  }
}
