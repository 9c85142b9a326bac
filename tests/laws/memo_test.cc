// Memoisation: equal calls with only integer and number arguments are one call, with the same values and gradients.
#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "graph/memo.h"

namespace espalier::test {
namespace ESPALIER_FILE {

struct Words {
  Parameters params{7};
  Lookup table = (params / "words").add_lookup("weight", 10, {4}, init::normal(0, 0.5f));
  Parameter weight = Scope(params).add("weight", {3, 4});
  Cell<Expr(Index)> word =
      Scope(params).cell("word", {{}}, [this](Index i) { return tanh(linear(lookup(table, i), weight)); });
  Cell<Expr(Index, Number)> scaled = Scope(params).cell(
      "scaled", {{}, {}}, [this](Index i, Number n) { return linear(lookup(table, i), weight) * n; });
  Cell<Expr(Index)> dropped =
      Scope(params).cell("dropped", {{}}, [this](Index i) { return dropout(lookup(table, i), 0.5f); });
  Cell<Expr(Expr, Expr)> join =
      Scope(params).cell("join", {{3}, {3}}, [](Expr a, Expr b) { return sum_elements(tanh(a * 2.f - b) * b); });
};

struct Outcome {
  Tensor table, weight;
  std::vector<Tensor> values, watched;
  size_t calls = 0;
  uint64_t shared = 0;
};

// Trains on sentences whose neighbouring words are joined, and watches the first word of each.
Outcome train(const Words& m, EngineOptions options) {
  Engine engine(options);
  const std::vector<std::vector<int>> sentences{{1, 2, 1}, {2, 1, 3, 1}, {5, 5}};
  auto batch = engine.record(sentences, [&](Graph& g, const std::vector<int>& s) {
    std::vector<Expr> words;
    for (int i : s) words.push_back(m.word(g, i));
    for (size_t i = 0; i + 1 < s.size(); ++i)
      g.emit("loss", m.join(words[i], words[i + 1]) + sum_elements(dropout(words[i], 0.5f)));
    return words;
  });
  Outcome o;
  o.calls = batch.calls();
  const std::vector<Expr> losses = batch.emitted("loss");
  for (const auto& words : batch.results) engine.watch(words[0]);
  const Gradients g = engine.backward(losses);
  o.table = g.of(m.table);
  o.weight = g.of(m.weight);
  o.values = engine.tensors(losses);
  for (const auto& words : batch.results) o.watched.push_back(g.of(words[0]));
  o.shared = engine.counters().shared_calls;
  return o;
}

void expect_near(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5f) << i;
}

TEST(Memo, EqualWordsAreOneCallWithTheValuesAndGradientsOfMany) {
  const Words m;
  for (Policy policy : {Policy::none, Policy::depth, Policy::automatic}) {
    const Outcome one = train(m, {.policy = policy}), many = train(m, {.policy = policy, .memoise = false});
    EXPECT_EQ(one.calls + 5, many.calls) << "nine words, four of them different";
    EXPECT_EQ(one.shared, 5u);
    EXPECT_EQ(many.shared, 0u);
    for (size_t i = 0; i < many.values.size(); ++i) EXPECT_EQ(one.values[i].to_vector(), many.values[i].to_vector());
    expect_near(one.table, many.table);
    expect_near(one.weight, many.weight);
    for (size_t i = 0; i < many.watched.size(); ++i) expect_near(one.watched[i], many.watched[i]);
  }
}

TEST(Memo, ImmediateModeSharesToo) {
  const Words m;
  const Outcome one = train(m, {.immediate = true}), many = train(m, {.memoise = false});
  EXPECT_EQ(one.shared, 5u);
  for (size_t i = 0; i < many.values.size(); ++i) expect_near(one.values[i], many.values[i]);
  expect_near(one.table, many.table);
}

TEST(Memo, AGroupAndALossMayBeGivenSharedValues) {
  Words m;
  const auto first = Scope(m.params).cell("first", {{}}, [&](Index i) { return pick(lookup(m.table, i), 0); });
  Tensor gradients[2], watched[2];
  for (bool memoise : {false, true}) {
    Engine engine({.memoise = memoise});
    Graph g = engine.graph();
    const Expr a = m.word(g, 1), b = m.word(g, 2), c = m.word(g, 1);
    const std::vector<Expr> rows{a, c, b, c};
    const std::vector<Expr> losses{first(g, 3), sum_elements(tanh(sum(rows)) * a), first(g, 3)};
    engine.watch(c);
    engine.watch(losses[2]);
    const Gradients d = engine.backward(losses);
    gradients[memoise] = d.of(m.table);
    watched[memoise] = d.of(c);
    EXPECT_EQ(d.of(losses[2])[0], 1.f);
  }
  expect_near(gradients[1], gradients[0]);
  expect_near(watched[1], watched[0]);
}

TEST(Memo, OnlyEqualIntegersAndNumbersAreOneCall) {
  const Words m;
  Engine engine;
  Graph g = engine.graph();
  const Expr a = m.scaled(g, 1, 0.5f), b = m.scaled(g, 1, 0.5f), c = m.scaled(g, 1, 0.25f), d = m.scaled(g, 2, 0.5f);
  EXPECT_EQ(g.calls(), 3u);
  EXPECT_EQ(engine.tensor(a).to_vector(), engine.tensor(b).to_vector());
  EXPECT_NE(engine.tensor(a).to_vector(), engine.tensor(c).to_vector());
  EXPECT_NE(engine.tensor(a).to_vector(), engine.tensor(d).to_vector());
  const std::array<float, 2> data{1, 2};
  input(g, data, {2}), input(g, data, {2});
  EXPECT_EQ(g.calls(), 5u) << "an input is always new";
  lookup(g, m.table, 1), lookup(g, m.table, 1);
  EXPECT_EQ(g.calls(), 7u) << "nothing is computed";
}

TEST(Memo, RandomCallsAreEachTheirOwn) {
  const Words m;
  Engine engine({.seed = 3});
  Graph g = engine.graph();
  for (int i = 0; i < 20; ++i) m.dropped(g, 1);
  EXPECT_EQ(g.calls(), 20u);
}

TEST(Memo, WhatIsRevertedOrClearedIsForgotten) {
  const Words m;
  Engine engine;
  Graph g = engine.graph();
  const Expr kept = m.word(g, 1);
  const Tensor first = engine.tensor(kept);
  const Graph::Mark mark = g.mark();
  for (int round = 0; round < 3; ++round) {
    const Expr again = m.word(g, 1), other = m.word(g, 2), other_again = m.word(g, 2);
    EXPECT_EQ(g.calls(), 2u);
    EXPECT_EQ(engine.tensor(again).to_vector(), first.to_vector());
    EXPECT_EQ(engine.tensor(other).to_vector(), engine.tensor(other_again).to_vector());
    g.revert(mark);
    EXPECT_THROW(engine.tensor(again), GraphError);
    m.word(g, 3 + round);  // takes the number of the reverted call
    EXPECT_NE(engine.tensor(m.word(g, 2)).to_vector(), first.to_vector());
    EXPECT_EQ(g.calls(), 3u);
    g.revert(mark);
  }
  g.clear();
  m.word(g, 1);
  EXPECT_EQ(g.calls(), 1u);
}

TEST(Memo, ATableFindsWhatIsThereAndNothingElse) {
  Memo memo;
  const auto find = [&](uint32_t key) {
    return memo.find(key % 7, [&](uint32_t call) { return call == key; });  // few distinct hashes: long probe sequences
  };
  uint32_t known = 0;
  for (uint32_t n : {300u, 40u, 0u, 1000u}) {
    memo.forget_from(n);
    for (uint32_t key = 0; key < 1100; ++key) EXPECT_EQ(find(key) == Memo::none, key >= std::min(n, known)) << key;
    for (uint32_t key = std::min(n, known); key < 1100; ++key) memo.add(key % 7, key);
    for (uint32_t key = 0; key < 1100; ++key) EXPECT_EQ(find(key), key);
    known = 1100;
  }
}

TEST(Memo, ExplainSaysHowManyAreShared) {
  const Words m;
  Engine engine;
  Graph g = engine.graph();
  for (int i = 0; i < 6; ++i) m.word(g, i % 2);
  EXPECT_NE(
      engine.explain(g).find("4 more calls have the same constant arguments as an earlier call and share its rows"),
      std::string::npos);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
