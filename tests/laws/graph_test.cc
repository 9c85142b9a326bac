// Laws about graphs that random programs rarely produce: very deep, very wide, very uneven, extended between rounds.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include <espalier/espalier.h>
#include "engine/session/session.h"
#include "schedule/schedule.h"

namespace espalier {
namespace ESPALIER_FILE {

struct Chain {
  Parameters params{3};
  nn::LSTM lstm{params / "lstm", 4, 4};
  nn::Linear out{params / "out", 4, 1};
};

std::vector<float> numbers(size_t n, float first = 0.1f) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = std::sin(first + static_cast<float>(i));
  return v;
}

TEST(Graph, AChainOfAHundredThousandCallsRunsForwardAndBackward) {
  for (Policy policy : {Policy::depth, Policy::agenda, Policy::automatic}) {
    Chain m;
    Engine engine({.policy = policy});
    Graph g = engine.graph();
    const Expr x = input(g, numbers(4), {4});
    nn::State s;
    for (int i = 0; i < 100'000; ++i) s = m.lstm(x, s);
    const Gradients grads = engine.backward(sum_elements(m.out(s.h)));
    EXPECT_TRUE(std::isfinite(grads.loss().get()));
    EXPECT_GT(std::fabs(grads.of(m.out.weight)[0]), 0.f);
    EXPECT_TRUE(std::isfinite(grads.norm()));
  }
}

TEST(Graph, AChainIsInferredInConstantMemory) {
  Chain m;
  Engine engine({.poison = true});
  auto last_h = [&](int steps) {
    return [&m, steps](Graph& g, int) {
      const Expr x = input(g, numbers(4), {4});
      nn::State s;
      for (int i = 0; i < steps; ++i) s = m.lstm(x, s);
      return s.h;
    };
  };
  const std::vector<int> one{0};
  auto values = engine.infer(engine.record(one, last_h(20'000), {.mode = Mode::infer}));
  EXPECT_TRUE(std::isfinite(values[0][0]));
  EXPECT_LE(engine.counters().arena_bytes, size_t{4} << 20) << "rows are reused";
}

TEST(Graph, OneCallBesideTenThousandOfAnotherCell) {
  Parameters params(1);
  nn::Linear rare(params / "rare", 4, 4), common(params / "common", 4, 4);
  for (Policy policy : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic}) {
    Engine engine({.policy = policy});
    Graph g = engine.graph();
    const Expr x = input(g, numbers(4), {4});
    std::vector<Expr> all;
    for (int i = 0; i < 10'000; ++i) all.push_back(sum_elements(common(x)));
    all.push_back(sum_elements(rare(common(x))));
    const Gradients grads = engine.backward(sum(all));
    const Tensor d = grads.of(common.bias);
    Engine ref({.device = Device::ref(), .policy = Policy::none});
    Graph h = ref.graph();
    const Expr y = input(h, numbers(4), {4});
    const std::array losses{sum_elements(common(y)) * 10'000.f, sum_elements(rare(common(y)))};
    const Gradients want = ref.backward(losses);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(d[i], want.of(common.bias)[i], 0.05f);
    EXPECT_NEAR(grads.of(rare.bias)[0], 1, 1e-5f);
  }
}

// Values in the first, a middle and the last row of a batch are operands of other batches.
TEST(Graph, RowsOfOneBatchAreReadByOthersInAnyOrder) {
  for (Policy policy : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic}) {
    Engine engine({.policy = policy});
    Graph g = engine.graph();
    std::vector<Expr> rows;
    for (int i = 0; i < 5; ++i) rows.push_back(tanh(input(g, static_cast<float>(i))));
    const std::array picked{rows[4] * rows[0], rows[2] * rows[4], rows[0] * rows[2]};
    const std::array summed{exp(picked[2]), exp(picked[0])};
    const auto got = engine.tensors(summed);
    auto th = [](int i) { return std::tanh(static_cast<float>(i)); };
    EXPECT_NEAR(got[0].item(), std::exp(th(0) * th(2)), 1e-5f);
    EXPECT_NEAR(got[1].item(), std::exp(th(4) * th(0)), 1e-5f);
  }
}

TEST(Graph, TheArenaGrowsInTheMiddleAndNothingIsLost) {
  Parameters params(1);
  nn::Linear wide(params / "wide", 512, 512);
  Engine engine;
  Graph g = engine.graph();
  Expr x = input(g, numbers(512), {512});
  const Expr first = tanh(wide(x));
  const Tensor before = engine.tensor(first);
  const auto growths = engine.counters().arena_growths;
  std::vector<Expr> losses;
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 500; ++i) losses.push_back(sum_elements(tanh(wide(x + static_cast<float>(i) * 0.001f))));
    (void)engine.tensors(losses);
  }
  EXPECT_GT(engine.counters().arena_growths, growths);
  EXPECT_EQ(engine.tensor(first).to_vector(), before.to_vector());
  losses.push_back(sum_elements(first));
  const Gradients in_rounds = engine.backward(losses);

  Engine at_once({.policy = Policy::depth});
  Graph h = at_once.graph();
  x = input(h, numbers(512), {512});
  std::vector<Expr> again;
  for (int round = 0; round < 6; ++round)
    for (int i = 0; i < 500; ++i) again.push_back(sum_elements(tanh(wide(x + static_cast<float>(i) * 0.001f))));
  again.push_back(sum_elements(tanh(wide(x))));
  const Gradients in_one = at_once.backward(again);
  const Tensor a = in_rounds.of(wide.bias), b = in_one.of(wide.bias);
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-2f + 1e-4f * std::fabs(b[i]));
}

TEST(Graph, NoRowsAtAllSumToZeroAndPassNoGradient) {
  Parameters params(1);
  nn::ChildSumTreeLSTM cell(params, 3, 3);
  Engine engine({.poison = true});
  Graph g = engine.graph();
  const Expr x = input(g, numbers(3), {3});
  const nn::State leaf = cell.node(g, x, std::vector<nn::State>{});
  const nn::State parent = cell.node(g, x, std::vector<nn::State>{leaf, leaf});
  const Gradients grads = engine.backward(sum_elements(parent.h));
  for (const Parameter& p : params.all())
    for (float v : grads.of(p)) EXPECT_TRUE(std::isfinite(v)) << p.name();
}

TEST(Graph, TwoThreadsWithTwoGraphsGetWhatOneGets) {
  Chain m;
  auto train = [&](uint64_t seed) {
    Engine engine({.seed = seed});
    std::vector<int> lengths{3, 9, 1, 30, 7};
    auto batch = engine.record(lengths, [&](Graph& g, int n) {
      nn::State s;
      for (int i = 0; i < n; ++i) s = m.lstm(dropout(input(g, numbers(4, static_cast<float>(i)), {4}), 0.3f), s);
      return sum_elements(m.out(s.h));
    });
    return engine.backward(batch.results).of(m.lstm.weight_hh).to_vector();
  };
  const auto alone_1 = train(1), alone_2 = train(2);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<float> a, b;
    {
      std::jthread one([&] { a = train(1); }), two([&] { b = train(2); });
    }
    ASSERT_EQ(a, alone_1);
    ASSERT_EQ(b, alone_2);
  }
}

TEST(Graph, DropoutDoesNotDependOnTheBatch) {
  Parameters params(1);
  nn::Linear linear(params, 16, 16);
  auto value_of = [&](std::vector<uint64_t> ids, uint64_t epoch, uint64_t wanted, int threads) {
    Engine engine({.threads = threads, .seed = 9});
    auto batch = engine.record(Minibatch{ids, epoch}, [&](Graph& g, uint64_t id) {
      return dropout(linear(dropout(input(g, numbers(16, static_cast<float>(id)), {16}), 0.5f)), 0.5f);
    });
    const size_t at = static_cast<size_t>(std::find(ids.begin(), ids.end(), wanted) - ids.begin());
    return engine.tensor(batch.results[at]).to_vector();
  };
  const auto alone = value_of({42}, 0, 42, 1);
  EXPECT_EQ(value_of({42, 7, 8}, 0, 42, 1), alone);
  EXPECT_EQ(value_of({1, 2, 3, 4, 5, 42}, 0, 42, 3), alone);
  EXPECT_NE(value_of({42}, 1, 42, 1), alone) << "another epoch drops others";
  EXPECT_NE(value_of({43, 42}, 0, 43, 1), alone);
}

TEST(Graph, ThreadsGetEqualSharesOfWhatHasSizes) {
  Engine engine({.threads = 3});
  const std::vector<uint32_t> lengths{30, 1, 1, 1, 27, 2, 9, 10, 9};
  auto chain = [](Graph& g, uint32_t length) {
    Expr x = input(g, 1);
    for (uint32_t i = 1; i < length; ++i) x = x + 1;
    return x;
  };
  const auto even = engine.record(lengths, chain, {.sizes = lengths});
  ASSERT_EQ(even.shards.size(), 3u);
  for (const Graph& shard : even.shards) EXPECT_NEAR(static_cast<double>(shard.calls()), 30, 3);
  for (size_t i = 0; i < lengths.size(); ++i) EXPECT_EQ(engine.value(even.results[i]), static_cast<float>(lengths[i]));
  // An example that is larger than all others together leaves some threads without examples.
  const auto uneven = engine.record(lengths, chain, {.sizes = std::vector<uint32_t>{0, 0, 0, 0, 100, 0, 0, 0, 0}});
  EXPECT_EQ(uneven.calls(), 90u);
}

TEST(Graph, TwoDropoutsOfOneCellDropDifferentElements) {
  Parameters params(1);
  const auto both = Scope(params).cell(
      "both", {{64}}, [](Expr x) -> std::array<Expr, 2> { return {dropout(x, 0.5f), dropout(x, 0.5f)}; });
  Engine engine;
  Graph g = engine.graph();
  const auto [a, b] = both(full(g, {64}, 1));
  const std::vector<float> first = engine.tensor(a).to_vector(), second = engine.tensor(b).to_vector();
  EXPECT_NE(first, second);
  for (float v : first) EXPECT_TRUE(v == 0 || v == 2);
}

TEST(Graph, FreedRowsArePoisoned) {
  detail::Session session({.poison = true});
  session.start(false, 0, 0);
  Graph g(std::shared_ptr<GraphTape>(std::shared_ptr<void>(), &session.tape));
  Expr x = input(g, numbers(8), {8});
  const Expr middle = tanh(x);
  Expr y = middle;
  for (int i = 0; i < 3; ++i) y = exp(y);
  const uint32_t asked = y.id();
  session.run({&asked, 1}, true);
  for (float v : session.read(y.id())) EXPECT_TRUE(std::isfinite(v));
  size_t poisoned = 0;
  for (float v : session.read(middle.id())) poisoned += std::isnan(v);
  EXPECT_EQ(poisoned, 8u) << "a row that nobody reads any more";
}

// ---- number of steps of the most important models
size_t steps_above_bound(const Graph& g) {
  const GraphTape& tape = g.tape();
  std::vector<uint32_t> all(tape.calls());
  for (uint32_t c = 0; c < tape.calls(); ++c) all[c] = c;
  Schedule s;
  Scheduler().run(tape, all, Policy::automatic, s);
  return s.steps.size() - lower_bound(tape, all);
}

TEST(Graph, AutoReachesTheLowerBoundOnTreesTaggersAndLanguageModels) {
  Parameters params(1);
  nn::Embedding words(params / "words", 50, 8), chars(params / "chars", 30, 8);
  nn::TreeLSTM tree(params / "tree", 8, 8);
  nn::BiLSTM context(params / "context", 8, 4);
  nn::LSTM forward(params / "forward", 8, 4), backward(params / "backward", 8, 4), lm(params / "lm", 8, 8);
  nn::Linear out(params / "out", 8, 5), vocabulary(params / "vocabulary", 8, 50);
  Engine engine;
  const std::vector<int> seeds{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

  auto trees = engine.record(seeds, [&](Graph& g, int seed) {
    std::vector<nn::State> open;
    for (int i = 0; i < 12 + seed; ++i) {
      open.push_back(tree.leaf(words(g, (seed * 7 + i) % 50)));
      g.emit("loss", cross_entropy(out(open.back().h), i % 5));
      while (open.size() > 1 && (seed * i) % 3 != 0) {
        const nn::State r = open.back();
        open.pop_back();
        open.back() = tree.node(open.back(), r);
        g.emit("loss", cross_entropy(out(open.back().h), seed % 5));
        if ((seed + i) % 2 == 0) break;
      }
    }
    return open.back().h;
  });
  EXPECT_EQ(steps_above_bound(trees.shards[0]), 0u) << engine.explain(trees);

  auto tagged = engine.record(seeds, [&](Graph& g, int seed) {
    std::vector<Expr> xs;
    for (int i = 0; i < 3 + seed; ++i) {
      if ((seed + i) % 3 != 0) {
        xs.push_back(words(g, i));
        continue;
      }
      nn::State f, b;
      for (int k = 0; k < 2 + i % 4; ++k) {
        f = forward(chars(g, k), f);
        b = backward(chars(g, 9 - k), b);
      }
      xs.push_back(concat(f.h, b.h));
    }
    std::vector<Expr> losses;
    for (Expr h : context(xs)) losses.push_back(cross_entropy(out(tanh(h)), seed % 5));
    return sum(losses);
  });
  EXPECT_EQ(steps_above_bound(tagged.shards[0]), 0u) << engine.explain(tagged);

  auto sentences = engine.record(seeds, [&](Graph& g, int seed) {
    nn::State s;
    std::vector<Expr> losses;
    for (int i = 0; i < 2 * seed; ++i) {
      s = lm(words(g, i), s);
      losses.push_back(cross_entropy(vocabulary(s.h), (i + 1) % 50));
    }
    return sum(losses);
  });
  EXPECT_EQ(steps_above_bound(sentences.shards[0]), 0u) << engine.explain(sentences);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
