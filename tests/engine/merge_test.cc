// Engine::merge as a user sees it. A law on random programs checks that the merged graph is the graph of one thread
// (src/law/program/merging.cc).
#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "graph/append.h"
#include "support/allocations.h"
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

struct Model {
  Parameters params{3};
  Lookup words = (params / "words").add_lookup("weight", 20, {4}, init::normal(0, 0.5f));
  Parameter weight = Scope(params).add("weight", {4, 4});
  nn::LSTM lstm{params / "lstm", 4, 4};
  Cell<Expr(Index)> word =
      Scope(params).cell("word", {{}}, [this](Index i) { return tanh(linear(lookup(words, i), weight)); });

  Expr loss(Graph& g, const std::vector<int>& sentence) const {
    nn::State s;
    for (int w : sentence) s = lstm(dropout(word(g, w), 0.5f), s);
    g.emit("loss", sum_elements(s.h), sentence[0]);
    return sum_elements(s.h * s.c);
  }
};

const std::vector<std::vector<int>> sentences{{1, 2, 3}, {2, 2}, {4}, {3, 1, 1, 5}, {5, 6}, {2, 9}, {7, 8, 7}};

auto record(Engine& engine, const Model& m) {
  return engine.record(sentences, [&](Graph& g, const std::vector<int>& s) { return m.loss(g, s); });
}

TEST(Merge, gives_what_one_thread_records) {
  const Model m;
  Engine one, three({.threads = 3});
  const auto alone = record(one, m);
  auto apart = record(three, m);
  EXPECT_EQ(apart.shards.size(), 3u);
  EXPECT_GT(apart.calls(), alone.calls()) << "each thread has words of its own";
  const auto merged = three.merge(std::move(apart));
  ASSERT_EQ(merged.shards.size(), 1u);
  EXPECT_EQ(merged.calls(), alone.calls());
  EXPECT_EQ(three.explain(merged), one.explain(alone));
  const Gradients a = one.backward(alone.results), b = three.backward(merged.results);
  for (const Parameter& p : m.params.all()) EXPECT_EQ(a.of(p).to_vector(), b.of(p).to_vector()) << p.name();
  EXPECT_EQ(three.counters().rounds, 1u);
  EXPECT_EQ(three.counters().steps, one.counters().steps);
  EXPECT_EQ(three.counters().shared_calls, one.counters().shared_calls);
}

TEST(Merge, more_can_be_recorded_behind_it) {
  const Model m;
  std::vector<std::vector<float>> after[2];
  for (const bool merge : {false, true}) {
    Engine engine({.threads = merge ? 3 : 1});
    auto batch = record(engine, m);
    if (merge) batch = engine.merge(std::move(batch));
    Graph& g = batch.shards[0];
    const Graph::Mark mark = g.mark();
    for (int i = 0; i < 2; ++i) {
      const Expr more = dropout(tanh(m.word(g, 3) + m.word(g, 19)), 0.5f);
      after[merge].push_back(engine.tensor(more).to_vector());
      g.revert(mark);
    }
    after[merge].push_back(engine.tensor(batch.results.back()).to_vector());
  }
  EXPECT_EQ(after[1], after[0]);
}

TEST(Merge, what_was_kept_elsewhere_is_stale) {
  const Model m;
  Engine engine({.threads = 2});
  std::vector<Expr> kept(sentences.size());
  auto batch = engine.record(sentences, [&](Graph& g, const std::vector<int>& s) {
    kept[static_cast<size_t>(&s - sentences.data())] = m.word(g, s[0]);
    return m.loss(g, s);
  });
  const auto merged = engine.merge(std::move(batch));
  EXPECT_NO_THROW(engine.tensor(kept[0]));
  EXPECT_EQ(error_of([&] { engine.tensor(kept[6]); }),
            "value: the value is stale; its graph was cleared, reverted or destroyed");
}

// A result may hold an Expr that its example has reverted, or an empty one.
TEST(Merge, stale_and_empty_results_stay_so) {
  const Model m;
  Engine engine({.threads = 2});
  const auto merged = engine.merge(engine.record(sentences, [&](Graph& g, const std::vector<int>& s) {
    const Graph::Mark mark = g.mark();
    const Expr gone = m.loss(g, s);
    g.revert(mark);
    return std::array{m.loss(g, s), gone, Expr()};
  }));
  EXPECT_FALSE(merged.results[6][2]);
  EXPECT_EQ(error_of([&] { engine.tensor(merged.results[6][1]); }),
            "value: the value is stale; its graph was cleared, reverted or destroyed");
  EXPECT_NO_THROW(engine.tensor(merged.results[6][0]));
}

TEST(Merge, sessions_go_back_to_the_engine) {
  const Model m;
  Engine engine({.threads = 3});
  std::vector<Batch<Expr>> held;
  for (int i = 0; i < 4; ++i) {
    held.push_back(engine.merge(record(engine, m)));
    (void)engine.backward(held.back().results);
  }
  for (size_t i = 1; i < held.size(); ++i)
    EXPECT_EQ(engine.value(held[i].results[5]), engine.value(held[0].results[5])) << "each has a graph of its own";
}

TEST(Merge, does_not_allocate_once_it_is_warm) {
  const Model m;
  Engine engine;
  Graph into = engine.graph(), from = engine.graph();
  Appender appender;
  long taken = 0;
  for (int i = 0; i < 3; ++i) {
    into.clear(), from.clear();
    for (const auto& s : sentences) m.loss(into, s), m.loss(from, s);
    const Allocations allocations;
    EXPECT_EQ(appender.append(into.tape(), from.tape()), from.tape().values());
    taken = allocations.taken();
    verify(into.tape());
  }
  EXPECT_EQ(taken, 0);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
