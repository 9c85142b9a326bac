// Layers, character-level embeddings, and losses for large vocabularies: formulas and cost.
#include <cmath>

#include "models/fixture.h"

namespace espalier::test {
namespace ESPALIER_FILE {

std::string message_of(auto f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Words, Mlp) {
  expect_fixture(
      "mlp", [](Scope p) { return nn::MLP(p, {3, 4, 2, 3}, tanh); },
      [](const nn::MLP& m, const Example& e) {
        std::vector<Expr> out;
        for (Expr x : e.list("x")) out.push_back(m(x));
        return out;
      });
  Parameters params;
  EXPECT_EQ(message_of([&] { nn::MLP(params, {3}); }),
            "MLP: 1 sizes are given; at least those of the input and the output are needed");
}
TEST(Words, MlpDropsInTrainingOnly) {
  Parameters params;
  const nn::MLP m(params, {2, 100, 1}, relu, 0.5f);
  Engine engine;
  auto value = [&](Mode mode) {
    Graph g = engine.graph(mode);
    g.example(3);
    return engine.value(m(full(g, {2}, 1.f)));
  };
  EXPECT_NE(value(Mode::train), value(Mode::infer));
  EXPECT_EQ(value(Mode::infer), value(Mode::infer));
}

TEST(Words, LayerNorm) {
  expect_fixture(
      "layer_norm", [](Scope p) { return nn::LayerNorm(p, 4); },
      [](const nn::LayerNorm& m, const Example& e) {
        std::vector<Expr> out;
        for (Expr x : e.list("x")) out.push_back(m(x));
        return out;
      });
}

TEST(Words, CharLstm) {
  expect_fixture(
      "char_lstm", [](Scope p) { return nn::CharLSTM(p, 5, 2, 2); },
      [](const nn::CharLSTM& m, const Example& e) {
        return std::vector<Expr>{m(e.g, e.get<std::vector<int>>("letters"))};
      });
  Parameters params;
  const nn::CharLSTM m(params, 5, 2, 2);
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(message_of([&] { m(g, {}, Where{"tagger.cc", 41}); }),
            "CharLSTM: the word is empty; at least one letter is needed (tagger.cc:41)");
}
TEST(Words, CharCnn) {
  expect_fixture(
      "char_cnn", [](Scope p) { return nn::CharCNN<3>(p, 5, 2, 3); },
      [](const nn::CharCNN<3>& m, const Example& e) {
        return std::vector<Expr>{m(e.g, e.get<std::vector<int>>("letters"))};
      });
}
TEST(Words, CharCnnComputesAWindowOnce) {
  Parameters params;
  const nn::CharCNN<3> m(params, 30, 4, 5);
  Engine engine({.device = Device::null()});
  const std::vector<std::vector<int>> words{{1, 2, 3, 4}, {1, 2, 3}, {}, {1, 2, 3, 4, 5, 6}};
  auto batch = engine.record(words, [&](Graph& g, const std::vector<int>& w) { return m(g, w); });
  EXPECT_EQ(batch.calls(), (6u + 2u + 1u + 4u) + 4u) << "windows that are new, and a maximum for each word";
  engine.tensors(batch.results);
  EXPECT_EQ(engine.counters().steps, 2u) << "words of all lengths, none too";
}

TEST(Words, ClassFactoredSoftmax) {
  expect_fixture(
      "class_factored_softmax",
      [](Scope p) { return nn::ClassFactoredSoftmax(p, 2, {2, 1, 2, 2, 2, 0, 2, 2, 1, 2, 2, 2}); },
      [](const nn::ClassFactoredSoftmax& m, const Example& e) {
        std::vector<Expr> out;
        for (Expr h : e.list("h")) out.push_back(m.loss(h, e.get<std::vector<int>>("words")[out.size()]));
        return out;
      });
}
// With Brown clusters, one class may hold most words, and others only one.
TEST(Words, ClassFactoredSoftmaxHasAsManyWeightsAsWords) {
  std::vector<int> classes(1000, 0);
  for (int c = 1; c < 100; ++c) classes[static_cast<size_t>(c)] = c;
  Parameters params(3);
  const nn::ClassFactoredSoftmax m(params, 4, classes);
  EXPECT_EQ(params.count(), (1000u + 100u) * (4 + 1));
  EXPECT_EQ(m.words(0).size(), 901u);
  EXPECT_EQ(m.words(99).size(), 1u);

  // Words of all classes batch together: chunks, then losses.
  Engine engine;
  Graph g = engine.graph();
  const Expr h = input(g, std::vector<float>{1, -2, 0.5f, 3}, {4});
  std::vector<Expr> losses;
  for (const int word : {0, 500, 7, 99, 1}) losses.push_back(m.loss(h, word));
  const std::vector<Tensor> values = engine.tensors(losses);
  EXPECT_EQ(engine.counters().steps, 3u) << "input, chunks, losses";
  const auto rows = m.log_probabilities(h);
  EXPECT_NEAR(-engine.tensor(rows[0])[static_cast<size_t>(m.place_of[500])], values[1].item(), 1e-4);
}
Task<std::vector<int>> draw_words(Graph& g, const nn::ClassFactoredSoftmax& m, int n) {
  const Expr h = input(g, std::vector<float>{1, -1}, {2});
  std::vector<int> words;
  for (int i = 0; i < n; ++i) {
    const int c = co_await sample(m.class_log_probabilities(h));
    const int place = co_await sample(m.word_log_probabilities(h, c));
    words.push_back(m.words(c)[static_cast<size_t>(place)]);
  }
  co_return words;
}
TEST(Words, ClassFactoredSoftmaxIsSampled) {
  Parameters params(5);
  const nn::ClassFactoredSoftmax m(params, 2, std::vector<int>{0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  Engine engine;
  auto words = [&](int n) {
    std::vector<int> drawn;
    Graph g = engine.graph(Mode::infer);
    g.example(7);
    const Expr h = input(g, std::vector<float>{1, -1}, {2});
    for (int i = 0; i < n; ++i) drawn.push_back(m.sample(g, h, [&](Expr x) { return engine.tensor(x); }));
    return drawn;
  };
  constexpr int n = 4000;
  std::vector<double> share(12, 0);
  for (const int w : words(n)) share[static_cast<size_t>(w)] += 1.0 / n;
  Graph g = engine.graph();
  const Expr h = input(g, std::vector<float>{1, -1}, {2});
  for (int w = 0; w < 12; ++w) {
    const double p = std::exp(-static_cast<double>(engine.value(m.loss(h, w))));
    EXPECT_NEAR(share[static_cast<size_t>(w)], p, 4 * std::sqrt(p * (1 - p) / n)) << "word " << w;
  }
  EXPECT_EQ(words(20), words(20)) << "the same example draws the same words";

  // A task that samples with co_await draws the same words.
  const std::vector<uint64_t> ids{7};
  const auto batch =
      engine.record(std::vector<int>{20}, [&m](Graph& of_task, int count) { return draw_words(of_task, m, count); },
                    {.mode = Mode::infer, .ids = ids});
  EXPECT_EQ(batch.results[0], words(20));
}
TEST(Words, ClassFactoredSoftmaxIsADistribution) {
  Parameters params(3);
  const nn::ClassFactoredSoftmax m(params, 4, 11);  // 4, 4 and 3 words
  Engine engine;
  Graph g = engine.graph();
  const Expr h = input(g, std::vector<float>{1, -2, 0.5f, 3}, {4});
  const auto rows = m.log_probabilities(h);
  ASSERT_EQ(rows.size(), 3u);
  double total = 0;
  for (int w = 0; w < 11; ++w) {
    const auto i = static_cast<size_t>(w);
    const Tensor row = engine.tensor(rows[static_cast<size_t>(m.class_of[i])]);
    const float log_p = row[static_cast<size_t>(m.place_of[i])];
    EXPECT_NEAR(-log_p, engine.value(m.loss(h, w)), 1e-5);
    total += std::exp(log_p);
  }
  EXPECT_NEAR(total, 1, 1e-5);
  EXPECT_EQ(rows[2].shape(), Shape({3}));
  EXPECT_EQ(message_of([&] { m.loss(h, 11, Where{"lm.cc", 41}); }),
            "ClassFactoredSoftmax: word 11 is out of range; it must be 0…10 (lm.cc:41)");
  EXPECT_EQ(message_of([&] { nn::ClassFactoredSoftmax(params / "gap", 4, {0, 2}); }),
            "ClassFactoredSoftmax: class 1 has no words; classes are numbered without gaps");
  EXPECT_EQ(message_of([&] { nn::ClassFactoredSoftmax(params / "minus", 4, {0, -1}); }),
            "ClassFactoredSoftmax: the class of word 1 is -1; classes are numbered from 0");
}

TEST(Words, HierarchicalSoftmax) {
  expect_fixture(
      "hierarchical_softmax",
      [](Scope p) { return nn::HierarchicalSoftmax(p, 3, std::vector<uint64_t>{9, 1, 40, 3, 20}); },
      [](const nn::HierarchicalSoftmax& m, const Example& e) {
        std::vector<Expr> out;
        for (Expr h : e.list("h")) out.push_back(m.loss(e.g, h, e.get<std::vector<int>>("words")[out.size()]));
        return out;
      });
}
TEST(Words, HierarchicalSoftmaxIsADistributionWithShortPathsToFrequentWords) {
  Parameters params(3);
  std::vector<uint64_t> counts;
  for (uint64_t w = 0; w < 50; ++w) counts.push_back(1000 / (w + 1));
  const nn::HierarchicalSoftmax m(params, 4, counts);
  Engine engine;
  Graph g = engine.graph();
  const Expr h = input(g, std::vector<float>{1, -2, 0.5f, 3}, {4});
  std::vector<Expr> losses;
  for (int w = 0; w < 50; ++w) losses.push_back(m.loss(g, h, w));
  EXPECT_EQ(g.calls(), 1u + m.branches.size() + 50u) << "a row for each turn, and a call for each word";
  double total = 0;
  for (const Tensor& t : engine.tensors(losses)) total += std::exp(-t.item());
  EXPECT_NEAR(total, 1, 1e-5);
  EXPECT_EQ(engine.counters().steps, 3u) << "paths of all lengths run together";
  EXPECT_LT(m.path(0).size(), 4u);
  EXPECT_GT(m.path(49).size(), 5u);
  EXPECT_EQ(message_of([&] { m.loss(g, h, 50, Where{"lm.cc", 41}); }),
            "HierarchicalSoftmax: word 50 is out of range; it must be 0…49 (lm.cc:41)");
  EXPECT_EQ(message_of([&] { nn::HierarchicalSoftmax(params / "one", 4, std::vector<uint64_t>{3}); }),
            "HierarchicalSoftmax: 1 words are given; a tree needs at least two");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
