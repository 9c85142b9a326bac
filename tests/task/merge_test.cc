// Tasks recorded in several threads and rounds, merged into one graph, and a dry run of it.
#include <gtest/gtest.h>

#include <espalier/espalier.h>

namespace espalier::test {
namespace ESPALIER_FILE {

struct Reader {
  Parameters params{5};
  nn::Embedding words{params / "words", 10, 4};
  nn::LSTM lstm{params / "lstm", 4, 5};
  nn::Linear out{params / "out", 5, 3};

  Task<Expr> loss(Graph& g, const std::vector<int>& text) const {
    nn::State s;
    std::vector<Expr> losses;
    for (const int word : text) {
      s = lstm(words(g, word), s);
      const Expr scores = out(s.h);
      const int label = co_await argmax(scores);
      losses.push_back(cross_entropy(scores, (label + 1) % 3));
    }
    co_return sum(losses);
  }
};

TEST(TaskMerge, gives_the_values_and_gradients_of_graphs_apart) {
  const Reader m;
  const std::vector<std::vector<int>> texts{{1, 2, 3}, {4, 5}, {6, 7, 8, 9}, {1}};
  Engine engine({.threads = 2});
  const auto record = [&] {
    return engine.record(texts, [&](Graph& g, const std::vector<int>& text) { return m.loss(g, text); });
  };
  const auto apart = record();
  const auto merged = engine.merge(record());
  ASSERT_EQ(merged.shards.size(), 1u);
  EXPECT_EQ(merged.calls(), apart.calls());
  EXPECT_EQ(engine.dry_run(merged).calls, merged.calls());
  EXPECT_EQ(engine.dry_run(merged).depth, engine.dry_run(apart).depth);
  const Gradients a = engine.backward(apart.results), b = engine.backward(merged.results);
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_FLOAT_EQ(engine.value(apart.results[i]), engine.value(merged.results[i])) << i;
  for (const Parameter& p : m.params.all()) {
    const Tensor x = a.of(p), y = b.of(p);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-5f) << p.name();
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
