// Lesson 16: sentiment of phrases, in blocks, with metrics.
//
// A Tree-LSTM scores every node of a binary tree, from 0 (very negative) to 4 (very positive). Each node emits its loss
// and its hits (1 or 0) under names, any number of them per example. Training minimises the losses of all nodes. The
// metrics are mean hits over all nodes and over the roots: exact (five classes), and binary (positive against negative,
// for labels that are not neutral).
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <espalier/block.h>
#include <espalier/espalier.h>

namespace esp = espalier;
using namespace espalier::block;
using esp::Expr, esp::Index, esp::nn::State;

struct Word {
  int label, word;
};
struct Pair;
using Tree = std::variant<Word, std::unique_ptr<Pair>>;
struct Pair {
  int label;
  Tree left, right;
};

// --- model from here
Block<Tree, State> sentiment(esp::Scope p, int vocabulary, int dim, int hidden) {
  const esp::nn::Embedding words(p / "words", vocabulary, dim);
  const esp::nn::TreeLSTM lstm(p / "lstm", dim, hidden);
  const esp::nn::FC out(p / "out", hidden, 5, {.activation = nullptr, .dropout = 0.2f});
  const auto exact = p.cell("exact", {{5}, {}}, [](Expr s, Index label) { return pick(argmax_one_hot(s), label); });
  const auto binary = p.cell("binary", {{5}, {}}, [](Expr s, Index positive) {
    return pick(argmax_one_hot(esp::concat(logsumexp(esp::slice(s, 0, 2)), logsumexp(esp::slice(s, 3, 5)))), positive);
  });

  const auto label = one_of<Tree>(field<&Word::label>(), field<&Pair::label>());
  auto scored = [=](std::string which) {  // emits the loss and the hits, returns the state
    return [=](esp::Graph& g, int l, State s) {
      const Expr scores = out(s.h);
      g.emit(which + "loss", cross_entropy(scores, l));
      g.emit(which + "exact", exact(scores, l));
      if (l != 2) g.emit(which + "binary", binary(scores, l > 2));
      return s;
    };
  };
  const auto tree = fix<Tree, State>({hidden}, [&](auto self) {
    auto word = field<&Word::word>() >> words >> [](Expr x) { return dropout(x, 0.2f); } >> lstm.leaf;
    auto pair = all_of(field<&Pair::left>() >> self, field<&Pair::right>() >> self) >> lstm.node;
    return all_of(label, one_of<Tree>(word, pair)) >> scored("all ");
  });
  return all_of(label, tree) >> scored("root ");
}
// --- to here

// A language of six words: two positive, two negative, one neutral, and "not", which negates the phrase after it.
constexpr int not_word = 5;
constexpr const char* spelling[] = {"awful", "poor", "plain", "good", "superb", "not"};
struct Phrase {
  Tree tree;
  std::string text;
  int polarity = 0;
  bool negator = false;
};
Tree node(int label, Tree left, Tree right) {
  return std::make_unique<Pair>(Pair{label, std::move(left), std::move(right)});
}
Phrase random_phrase(std::mt19937& random, int depth) {
  if (depth == 0 || random() % 5 == 0) {
    const int word = static_cast<int>(random() % 5);
    return {Word{word, word}, spelling[word], word - 2};
  }
  Phrase left = random_phrase(random, depth - 1), right = random_phrase(random, depth - 1);
  if (random() % 3 == 0) left = {Word{2, not_word}, spelling[not_word], 0, true};
  const int polarity = left.negator ? -right.polarity : std::clamp(left.polarity + right.polarity, -2, 2);
  return {node(polarity + 2, std::move(left.tree), std::move(right.tree)), "(" + left.text + " " + right.text + ")",
          polarity};
}

double mean_of(esp::Engine& engine, const std::vector<Expr>& rows) {
  esp::train::Mean mean;
  for (const esp::Tensor& t : engine.tensors(rows)) mean.add(t[0]);
  return mean.get();
}

int main() {
  std::mt19937 random(16);
  std::vector<Tree> train, test;
  for (int i = 0; i < 1500; ++i) train.push_back(random_phrase(random, 4).tree);
  for (int i = 0; i < 300; ++i) test.push_back(random_phrase(random, 4).tree);
  std::printf("for example: %s\n", random_phrase(random, 3).text.c_str());

  esp::Engine engine;
  esp::Parameters params(16);
  const auto model = sentiment(params, 6, 16, 32);
  esp::optim::Adam adam(params, {.lr = 0.01f});
  for (uint64_t epoch = 0; epoch < 8; ++epoch) {
    for (const auto& m : esp::train::minibatches(train.size(), 50, 16, epoch)) {
      auto batch = engine.record(m, [&](esp::Graph& g, size_t i) { return model(g, train[i]); });
      adam.step(engine.backward(batch.emitted("all loss"), 1.f / 50));
    }
    if (epoch % 4 != 3) continue;
    auto batch = engine.record(test, model, {.mode = esp::Mode::infer});
    std::printf("epoch %d\n", static_cast<int>(epoch));
    for (const char* which : {"all ", "root "}) {
      std::printf("  %-5s", which);
      for (const char* what : {"loss", "exact", "binary"})
        std::printf(" %s %.3f", what, mean_of(engine, batch.emitted(std::string(which) + what)));
      std::printf("\n");
    }
  }
}
