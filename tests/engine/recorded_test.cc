// Recorded: replayed examples are what recording anew gives. The laws on random programs are in
// src/law/program/keeping.cc.
#include <espalier/engine/recorded.h>

#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "graph/tape.h"
#include "law/program/merging.h"
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

// Memoised calls, dropout, groups, inputs, emitted values, ops outside cells.
struct Model {
  Parameters params{3};
  Lookup words = (params / "words").add_lookup("weight", 20, {4}, init::normal(0, 0.5f));
  Parameter weight = Scope(params).add("weight", {4, 4});
  nn::LSTM lstm{params / "lstm", 4, 4};
  Cell<Expr(Index)> word =
      Scope(params).cell("word", {{}}, [this](Index i) { return tanh(linear(lookup(words, i), weight)); });
  Cell<Expr(Expr, Many<Expr>)> attend =
      Scope(params).cell("attend", {{4}, {4}}, [](Expr query, Many<Expr> keys) { return query * max_rows(keys); });

  std::vector<Expr> losses(Graph& g, uint64_t id) const {
    nn::State s;
    std::vector<Expr> states, found;
    for (uint64_t i = 0; i <= id % 4; ++i) {
      s = lstm(dropout(word(g, (id + i) % 6), 0.5f), s);
      states.push_back(s.h);
    }
    const Many<Expr> keys = group(g, states);
    const std::vector<float> numbers(4, static_cast<float>(id) / 8);
    const Expr given = input(g, numbers, {4});
    for (const Expr& state : states) {
      found.push_back(sum_elements(attend(state, keys) * given));
      g.emit(id % 2 == 0 ? "even" : "odd", found.back(), static_cast<int>(id));
    }
    return found;
  }
  auto function() const {
    return [this](Graph& g, uint64_t id) { return losses(g, id); };
  }
};

std::vector<Minibatch> minibatches(uint64_t epochs) {
  std::vector<Minibatch> all;
  for (uint64_t epoch = 0; epoch < epochs; ++epoch) {
    all.push_back({{3, 1, 7, 2, 11}, epoch});
    all.push_back({{5 + epoch % 2, 9, 1, 4}, epoch});
  }
  return all;
}

void expect_same(const Batch<std::vector<Expr>>& got, const Batch<std::vector<Expr>>& want) {
  ASSERT_EQ(got.shards.size(), want.shards.size());
  for (size_t s = 0; s < got.shards.size(); ++s) {
    verify(got.shards[s].tape());
    EXPECT_EQ(print(got.shards[s].tape()), print(want.shards[s].tape()));
    EXPECT_EQ(law::difference(got.shards[s].tape(), want.shards[s].tape()), "");
  }
  ASSERT_EQ(got.results.size(), want.results.size());
  for (size_t i = 0; i < got.results.size(); ++i) {
    ASSERT_EQ(got.results[i].size(), want.results[i].size());
    for (size_t k = 0; k < got.results[i].size(); ++k) EXPECT_EQ(got.results[i][k].id(), want.results[i][k].id());
  }
}

std::vector<Expr> flat(const Batch<std::vector<Expr>>& batch) {
  std::vector<Expr> all;
  for (const auto& of : batch.results) all.insert(all.end(), of.begin(), of.end());
  return all;
}

TEST(Recorded, records_the_same_graph_and_bits) {
  for (const int threads : {1, 3, 4})
    for (const bool memoise : {true, false}) {
      const Model m;
      Engine engine({.threads = threads, .seed = 4, .memoise = memoise});
      Engine other({.threads = threads, .seed = 4, .memoise = memoise});
      const Recorded kept(m.function());
      std::vector<float> losses;
      for (const Minibatch& minibatch : minibatches(4)) {
        const auto got = engine.record(minibatch, kept);
        const auto want = other.record(minibatch, m.function());
        expect_same(got, want);
        EXPECT_EQ(engine.explain(got), other.explain(want));
        EXPECT_EQ(got.labels("odd"), want.labels("odd"));
        const Gradients a = engine.backward(flat(got), 0.5f), b = other.backward(flat(want), 0.5f);
        EXPECT_EQ(a.loss().get(), b.loss().get());
        for (const Parameter& p : m.params.all()) EXPECT_EQ(a.of(p).to_vector(), b.of(p).to_vector()) << p.name();
        EXPECT_EQ(engine.counters().shared_calls, other.counters().shared_calls);
        losses.push_back(a.loss().get());
      }
      EXPECT_NE(losses[0], losses[2]) << "dropout differs between epochs";
      EXPECT_EQ(kept.size(), 9u);
      EXPECT_EQ(kept.misses(), threads == 1 ? 9u : kept.misses());
      EXPECT_EQ(kept.hits() + kept.misses(), 36u);
      EXPECT_GT(kept.bytes(), 9 * 200u);
    }
}

TEST(Recorded, may_be_used_by_several_engines_and_modes) {
  const Model m;
  const Recorded kept(m.function());
  for (const bool memoise : {true, false, true})
    for (const Mode mode : {Mode::train, Mode::infer}) {
      Engine engine({.seed = 1, .memoise = memoise}), other({.seed = 1, .memoise = memoise});
      for (const Minibatch& minibatch : minibatches(1)) {
        auto got = engine.record(minibatch, kept, {.mode = mode});
        auto want = other.record(minibatch, m.function(), {.mode = mode});
        expect_same(got, want);
        const auto a = engine.infer(got), b = other.infer(want);
        for (size_t i = 0; i < a.size(); ++i)
          for (size_t k = 0; k < a[i].size(); ++k) EXPECT_EQ(a[i][k].to_vector(), b[i][k].to_vector());
      }
    }
  EXPECT_EQ(kept.size(), 16u) << "one recording per example and mode";
}

TEST(Recorded, is_a_part_of_a_larger_example) {
  const Model m;
  const Recorded kept(m.function());
  const auto with = [&](const auto& part) {
    return [&](Graph& g, uint64_t id) {
      Expr before = dropout(m.word(g, static_cast<int>(id % 3)), 0.5f);
      std::vector<Expr> found = part(g, id);
      found.push_back(sum_elements(dropout(before + m.word(g, 2), 0.5f)));
      return found;
    };
  };
  Engine engine, other;
  for (const Minibatch& minibatch : minibatches(2))
    expect_same(engine.record(minibatch, with(kept)), other.record(minibatch, with(m.function())));
}

TEST(Recorded, merges_like_any_other_graph) {
  const Model m;
  const Recorded kept(m.function());
  Engine several({.threads = 3}), one;
  for (const Minibatch& minibatch : minibatches(2))
    expect_same(several.merge(several.record(minibatch, kept)), one.record(minibatch, m.function()));
}

TEST(Recorded, results_have_any_structure) {
  struct Result {
    std::optional<Expr> some, none;
    std::vector<std::pair<int, Expr>> list;
    Expr empty;
    std::string name;
  };
  const Model m;
  const Recorded kept([&](Graph& g, uint64_t id) {
    Result r;
    r.some = m.word(g, static_cast<int>(id));
    r.list.emplace_back(7, m.word(g, 3));
    r.name = "example " + std::to_string(id);
    return r;
  });
  Engine engine;
  for (int epoch = 0; epoch < 2; ++epoch) {
    const auto batch = engine.record(Minibatch{{3, 4}, 0}, kept);
    EXPECT_EQ(batch.results[1].name, "example 4");
    EXPECT_EQ(batch.results[1].some->id(), 2u);
    EXPECT_EQ(batch.results[1].list[0].second.id(), 3u);
    EXPECT_FALSE(batch.results[1].empty);
    EXPECT_FALSE(batch.results[1].none);
    EXPECT_EQ(engine.tensor(*batch.results[0].some).to_vector(),
              engine.tensor(batch.results[1].list[0].second).to_vector());
  }
  EXPECT_EQ(kept.hits(), 2u);
}

TEST(Recorded, works_without_a_result) {
  const Model m;
  const Recorded kept([&](Graph& g, uint64_t id) { g.emit("word", m.word(g, static_cast<int>(id))); });
  Engine engine;
  for (int epoch = 0; epoch < 2; ++epoch)
    EXPECT_EQ(engine.record(Minibatch{{3, 4}, 0}, kept).emitted("word").size(), 2u);
}

TEST(Recorded, evicts_the_least_recently_used) {
  const Model m;
  const auto record = [&](Engine& engine, const auto& kept, std::vector<uint64_t> ids) {
    (void)engine.record(Minibatch{std::move(ids), 0}, kept);
  };
  Engine engine;
  const Recorded all(m.function());
  record(engine, all, {3, 7, 11});  // of equal size
  Recorded kept(m.function(), {.memory_limit = all.bytes() - 1});
  record(engine, kept, {3, 7});
  record(engine, kept, {3});
  record(engine, kept, {11});  // evicts 7
  EXPECT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept.hits(), 1u);
  record(engine, kept, {3, 11});
  EXPECT_EQ(kept.hits(), 3u);
  record(engine, kept, {7});
  EXPECT_EQ(kept.hits(), 3u);
  EXPECT_LT(kept.bytes(), all.bytes());

  Recorded none(m.function(), {.memory_limit = 1});
  Engine other;
  for (const Minibatch& minibatch : minibatches(2))
    expect_same(engine.record(minibatch, none), other.record(minibatch, m.function()));
  EXPECT_EQ(none.size() + none.bytes() + none.hits(), 0u);
}

TEST(Recorded, forgets) {
  const Model m;
  int runs = 0;
  Recorded kept([&](Graph& g, uint64_t id) { return ++runs, m.losses(g, id); });
  Engine engine;
  const auto record = [&] { (void)engine.record(Minibatch{{1, 2, 3}, 0}, kept); };
  record(), record();
  EXPECT_EQ(runs, 3);
  kept.forget(2);
  kept.forget(99);
  EXPECT_EQ(kept.size(), 2u);
  record(), record();
  EXPECT_EQ(runs, 4);
  kept.forget();
  EXPECT_EQ(kept.size(), 0u);
  EXPECT_EQ(kept.bytes(), 0u);
  record(), record();
  EXPECT_EQ(runs, 7);
}

TEST(Recorded, drops_recordings_with_destroyed_parameters) {
  auto m = std::make_unique<Model>();
  Recorded kept([&](Graph& g, uint64_t id) { return m->losses(g, id); });
  Engine engine;
  {
    const Parameters unrelated;
  }
  (void)engine.record(Minibatch{{1, 2, 3}, 0}, kept);
  {
    const Parameters unrelated;
  }
  (void)engine.record(Minibatch{{1, 2, 3}, 0}, kept);
  EXPECT_EQ(kept.hits(), 3u);
  m = std::make_unique<Model>();
  Engine other;
  for (int epoch = 0; epoch < 2; ++epoch)
    expect_same(engine.record(Minibatch{{1, 2, 3}, 0}, kept), other.record(Minibatch{{1, 2, 3}, 0}, m->function()));
  EXPECT_EQ(kept.hits(), 6u);
}

TEST(Recorded, follows_parameters_and_freezing) {
  Model m;
  const Recorded kept(m.function());
  Engine engine, other;
  const auto same = [&] {
    const Minibatch minibatch{{1, 2, 3}, 0};
    const Gradients a = engine.backward(flat(engine.record(minibatch, kept))),
                    b = other.backward(flat(other.record(minibatch, m.function())));
    EXPECT_EQ(a.loss().get(), b.loss().get());
    for (const Parameter& p : m.params.all()) EXPECT_EQ(a.of(p).to_vector(), b.of(p).to_vector()) << p.name();
  };
  same();
  m.weight.freeze();
  same();
  m.weight.freeze(false);
  std::vector<float> values = m.weight.value().to_vector();
  for (float& x : values) x *= 0.5f;
  m.weight.assign({m.weight.shape(), values});
  same();
  EXPECT_EQ(kept.hits(), 6u);
}

TEST(Recorded, keeps_what_remains_after_a_revert) {
  const Model m;
  const auto f = [&](Graph& g, uint64_t id) {
    const Expr first = m.word(g, 1);
    const Graph::Mark mark = g.mark();
    (void)m.losses(g, id + 1);
    g.revert(mark);
    auto found = m.losses(g, id);
    found.push_back(sum_elements(first));
    return found;
  };
  const Recorded kept(f);
  Engine engine, other;
  for (const Minibatch& minibatch : minibatches(2)) {
    const auto got = engine.record(minibatch, kept), want = other.record(minibatch, f);
    EXPECT_EQ(print(got.shards[0].tape()), print(want.shards[0].tape()));
    EXPECT_EQ(engine.backward(flat(got)).loss().get(), other.backward(flat(want)).loss().get());
  }
}

TEST(Recorded, failed_examples_are_not_kept) {
  const Model m;
  const auto f = [&](Graph& g, uint64_t id) {
    auto found = m.losses(g, id);
    if (id % 2 == 0) throw DataError("bad");
    return found;
  };
  const Recorded kept(f);
  Engine engine({.threads = 2}), other({.threads = 2});
  for (int epoch = 0; epoch < 2; ++epoch) {
    const auto got = engine.record(Minibatch{{1, 2, 3, 4, 5}, 0}, kept, {.skip_bad = true});
    const auto want = other.record(Minibatch{{1, 2, 3, 4, 5}, 0}, f, {.skip_bad = true});
    expect_same(got, want);
    EXPECT_EQ(got.positions, want.positions);
  }
  EXPECT_EQ(kept.size(), 3u);
  EXPECT_EQ(error_of([&] { (void)engine.record(Minibatch{{1, 2}, 0}, kept); }), "bad (example 1)");
}

TEST(Recorded, refuses_what_cannot_be_replayed) {
  const Model m;
  Engine engine;
  Expr outside;
  std::optional<Many<Expr>> group_outside;
  Graph::Mark mark;
  const auto error = [&](auto f) {
    outside = Expr();
    const Recorded kept([&](Graph& g, uint64_t id) {
      if (id == 0) {
        mark = g.mark();
        outside = m.word(g, 1);
        group_outside = group(g, std::vector{outside});
        return outside;
      }
      return f(g);
    });
    const std::string what = error_of([&] { (void)engine.record(Minibatch{{0, 1}, 0}, kept); });
    EXPECT_EQ(kept.size(), 1u);
    return what;
  };
  EXPECT_EQ(error([&](Graph&) { return tanh(outside); }),
            "recorded: tanh reads a value of word that was recorded before the example; a kept example must record "
            "every value it reads (example 1)");
  EXPECT_EQ(error([&](Graph&) { return outside; }),
            "recorded: the result holds a value of word that was recorded before the example; a kept example must "
            "record every value it returns (example 1)");
  EXPECT_EQ(error([&](Graph& g) { return g.emit("x", outside), m.word(g, 2); }),
            "recorded: emit reads a value of word that was recorded before the example; a kept example must record "
            "every value it reads (example 1)");
  EXPECT_EQ(error([&](Graph& g) { return m.attend(m.word(g, 2), *group_outside); }),
            "recorded: attend reads a group that was recorded before the example; a kept example must record every "
            "group it reads (example 1)");
  EXPECT_EQ(error([&](Graph& g) { return m.word(g, g.random() % 3); }),
            "recorded: the example draws random(), so its structure differs between epochs and cannot be kept; "
            "give the function to record() itself (example 1)");
  EXPECT_EQ(error([&](Graph& g) {
              m.word(g, 1);
              g.example(5);
              return dropout(m.word(g, 2), 0.5f);
            }),
            "recorded: the function starts another example; a kept function records one example (example 1)");
  EXPECT_EQ(error([&](Graph& g) {
              g.revert(mark);
              return m.word(g, 2);
            }),
            "recorded: the graph was reverted to before the example; a kept example may only revert its own calls "
            "(example 1)");
}

TEST(Recorded, immediate_mode_records_anew) {
  const Model m;
  int runs = 0;
  const Recorded kept([&](Graph& g, uint64_t id) { return ++runs, m.losses(g, id); });
  Engine engine({.immediate = true});
  for (int epoch = 0; epoch < 2; ++epoch) (void)engine.record(Minibatch{{1, 2}, 0}, kept);
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(kept.size(), 0u);
}

TEST(Recorded, refuses_a_closed_graph) {
  const Model m;
  const Recorded kept(m.function());
  Engine engine;
  auto batch = engine.record(Minibatch{{1}, 0}, kept, {.mode = Mode::infer});
  (void)engine.infer(batch);
  EXPECT_EQ(error_of([&] { (void)kept(batch.shards[0], 1); }),
            "recorded: the graph is closed by infer, its rows were reused; record it again");
}

TEST(Recorded, a_pipeline_prepares_kept_minibatches) {
  const auto train = [](auto&& gradients_of, const Model& m, int threads) {
    Engine engine({.threads = threads, .seed = 2});
    optim::SGD sgd(const_cast<Parameters&>(m.params), {.lr = 0.1f});
    return gradients_of(engine, sgd);
  };
  for (const int threads : {1, 2}) {
    const Model a, b;
    const auto want = train(
        [&](Engine& engine, auto& sgd) {
          std::vector<float> losses;
          for (const Minibatch& m : minibatches(3)) {
            const Gradients g = engine.backward(flat(engine.record(m, a.function())));
            losses.push_back(g.loss().get());
            sgd.step(g);
          }
          return losses;
        },
        a, threads);
    const Recorded kept(b.function());
    const auto got = train(
        [&](Engine& engine, auto& sgd) {
          std::vector<float> losses;
          Pipeline pipeline(engine, 3, kept);
          for (const Minibatch& m : minibatches(3)) pipeline.push(m);
          while (pipeline.size() > 0) {
            const Gradients g = pipeline.backward();
            losses.push_back(g.loss().get());
            sgd.step(g);
          }
          return losses;
        },
        b, threads);
    EXPECT_EQ(got, want);
    EXPECT_EQ(kept.size(), 9u);
  }
}

// As the Python package uses it: results are opaque, and missing examples are recorded by the calling thread.
TEST(PinnedMinibatch, records_missing_examples_in_this_thread) {
  const Model m;
  Engine engine({.threads = 4, .seed = 4}), other({.threads = 4, .seed = 4});
  const Recorded all(m.function());
  (void)engine.record(Minibatch{{3, 1, 7, 2, 11, 5, 9, 6}, 0}, all);
  const size_t limit = all.bytes() - 2500;
  detail::RecordedCore core({.memory_limit = limit});
  const std::thread::id me = std::this_thread::get_id();
  int runs = 0;
  const auto missing = [&](Graph& g, uint64_t id, const detail::RecordedCore::Start& start, size_t& bytes) {
    EXPECT_EQ(std::this_thread::get_id(), me);
    ++runs;
    if (id == 4) throw DataError("bad");
    auto losses = std::make_shared<std::vector<Expr>>(m.losses(g, id));
    for (Expr& x : *losses) x = start.relative(x);
    bytes = losses->size() * sizeof(Expr);
    return losses;
  };
  const auto f = [&](Graph& g, uint64_t id) {
    if (id == 4) throw DataError("bad");
    return m.losses(g, id);
  };
  for (const Minibatch& minibatch : minibatches(3)) {
    const detail::PinnedMinibatch pinned(engine, core, minibatch, {.skip_bad = true}, missing);
    const auto got = detail::record(engine, pinned, {.skip_bad = true});
    const auto want = other.record(minibatch, f, {.skip_bad = true});
    Batch<std::vector<Expr>> found;
    EXPECT_EQ(got.positions, want.positions);
    for (const detail::ReplayedExample& e : got.results) {
      found.results.emplace_back();
      for (const Expr& x : *static_cast<const std::vector<Expr>*>(e.result.get()))
        found.results.back().push_back(detail::absolute(x, e.first));
    }
    const Gradients a = engine.backward(flat(found)), b = other.backward(flat(want));
    EXPECT_EQ(a.loss().get(), b.loss().get());
    for (const Parameter& p : m.params.all()) EXPECT_EQ(a.of(p).to_vector(), b.of(p).to_vector()) << p.name();
    EXPECT_EQ(got.shards.size(), want.shards.size());
    for (size_t s = 0; s < want.shards.size(); ++s)
      EXPECT_EQ(law::difference(got.shards[s].tape(), want.shards[s].tape()), "");
  }
  EXPECT_LE(core.bytes(), limit);
  EXPECT_GT(runs, 9);
  EXPECT_EQ(error_of([&] { detail::PinnedMinibatch(engine, core, {{1, 4}, 0}, {}, missing); }), "bad (example 1)");
  EXPECT_EQ(engine.failed_example(), 1u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
