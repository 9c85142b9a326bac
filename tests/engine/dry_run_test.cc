// A dry run: its contents agree with the counters of the real run, and it computes nothing.
#include <espalier/engine/dry_run.h>

#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

struct Tagger {
  Parameters params{1};
  nn::Embedding words{params / "words", 10, 4};
  nn::LSTM lstm{params / "lstm", 4, 6};
  nn::Linear out{params / "out", 6, 3};

  std::vector<Expr> losses(Graph& g, const std::vector<int>& sentence) const {
    nn::State s;
    std::vector<Expr> all;
    for (int w : sentence) {
      s = lstm(words(g, w), s);
      all.push_back(cross_entropy(out(s.h), w % 3));
    }
    return all;
  }
};

const std::vector<std::vector<int>> sentences{{3, 1, 4, 1, 5}, {9, 2, 6}, {5, 3}};

auto record(Engine& engine, const Tagger& m) {
  return engine.record(sentences, [&](Graph& g, const std::vector<int>& s) { return m.losses(g, s); });
}

const DryRun::Cell& cell(const DryRun& run, std::string_view name) {
  for (const DryRun::Cell& c : run.cells)
    if (c.name == name) return c;
  ADD_FAILURE() << "no cell " << name;
  return run.cells[0];
}
std::string why(const DryRun& run, std::string_view name) {
  for (const DryRun::Alone& a : run.alone)
    if (run.cells[a.cell].name == name) return a.why;
  return "not alone";
}

TEST(DryRun, counts_what_then_happens) {
  const Tagger m;
  Engine engine;
  const auto batch = record(engine, m);
  const DryRun run = engine.dry_run(batch);
  EXPECT_EQ(run.graphs, 1u);
  EXPECT_EQ(run.calls, batch.calls());
  EXPECT_EQ(run.depth, 8u) << "a word, five states, a layer and a loss";
  EXPECT_EQ(run.steps.size(), 8u);
  EXPECT_EQ(run.fewest_steps, 8u);
  EXPECT_EQ(run.rows, batch.calls() + 10) << "a call of the LSTM gives two";
  const DryRun::Cell& next = cell(run, "lstm.next");
  EXPECT_EQ(next.calls, 7u);
  EXPECT_EQ(next.steps, 4u);
  EXPECT_EQ(next.largest_step, 3u);
  EXPECT_EQ(next.alone, 2u);
  EXPECT_DOUBLE_EQ(next.mean_step(), 1.75);
  EXPECT_EQ(why(run, "lstm.next"), "a chain of 4 calls takes 4 steps, and no other chain has a call left for these");
  EXPECT_EQ(why(run, "out.linear"), "not alone");

  std::vector<Expr> losses;
  for (const auto& r : batch.results) losses.insert(losses.end(), r.begin(), r.end());
  (void)engine.tensors(losses);
  const Counters c = engine.counters();
  EXPECT_EQ(c.calls, run.calls);
  EXPECT_EQ(c.steps, run.steps.size());
  EXPECT_EQ(c.copied_bytes, run.gathered_bytes);
  EXPECT_GE(c.arena_bytes, run.row_bytes);
}

// In inference rows are reused, nothing is kept for a backward pass, and nothing is hoisted.
TEST(DryRun, of_an_inference_is_what_infer_does) {
  const Tagger m;
  Engine engine;
  const auto record_in = [&](Mode mode) {
    return engine.record(sentences, [&](Graph& g, const std::vector<int>& s) { return m.losses(g, s); },
                         {.mode = mode});
  };
  const auto trained = record_in(Mode::train), inferred = record_in(Mode::infer);
  const DryRun training = engine.dry_run(trained), run = engine.dry_run(inferred);
  EXPECT_LT(run.row_bytes, training.row_bytes);
  EXPECT_EQ(run.steps.size(), training.steps.size());
  const auto ahead = [](const DryRun& r) {
    size_t n = 0;
    for (const DryRun::Step& s : r.steps) n += s.hoisted;
    return n;
  };
  EXPECT_GT(ahead(training), 0u);
  EXPECT_EQ(ahead(run), 0u);
  const Counters before = engine.counters();
  (void)engine.infer(inferred);
  const Counters after = engine.counters();
  EXPECT_EQ(after.steps - before.steps, run.steps.size());
  EXPECT_EQ(after.copied_bytes - before.copied_bytes, run.gathered_bytes);
  EXPECT_GE(after.arena_bytes, run.row_bytes + run.scratch_bytes);
  std::vector<size_t> entries(run.cells.size());
  for (const DryRun::Gather& g : run.gathers) EXPECT_LE(++entries[g.cell], 2u) << "an entry for each step";
}

TEST(DryRun, computes_nothing) {
  const Tagger m;
  Engine engine;
  const auto batch = record(engine, m);
  const DryRun run = engine.dry_run(batch);
  EXPECT_EQ(run.text(), engine.explain(batch));
  const Counters c = engine.counters();
  EXPECT_EQ(c.rounds + c.calls + c.steps + c.launches + c.gathers + c.copied_bytes + c.arena_bytes, 0u);
}

TEST(DryRun, of_several_graphs_is_their_sum) {
  const Tagger m;
  Engine engine({.threads = 3});
  auto batch = record(engine, m);
  const DryRun apart = engine.dry_run(batch);
  EXPECT_EQ(apart.graphs, 3u);
  EXPECT_EQ(apart.calls, batch.calls());
  EXPECT_EQ(apart.depth, 8u);
  EXPECT_EQ(apart.steps.size(), 8u + 6u + 5u);
  EXPECT_EQ(cell(apart, "lstm.next").steps, 4u + 2u + 1u);
  size_t rows = 0;
  for (const Graph& g : batch.shards) rows += engine.dry_run(g).rows;
  EXPECT_EQ(apart.rows, rows);
  EXPECT_EQ(engine.dry_run(engine.merge(std::move(batch))).steps.size(), 8u);
}

TEST(DryRun, says_what_will_not_batch) {
  Engine engine;
  Graph g = engine.graph();
  const std::vector<float> numbers(6, 0.5f);
  const Expr a = input(g, numbers, {6}), b = input(g, numbers, {2, 3});
  std::vector<Expr> losses{sum_elements(scale_gradient(a, 1)), sum_elements(scale_gradient(a, 3)),
                           sum_elements(tanh(b))};
  Expr total = sum(losses);
  const DryRun run = engine.dry_run(g);
  EXPECT_EQ(why(run, "scale_gradient(factor=1) [6]"), "called once; other cells of this name have other attributes");
  EXPECT_EQ(why(run, "input [6]"), "called once; other cells of this name have other shapes");
  EXPECT_EQ(why(run, "tanh"), "called once");
  EXPECT_EQ(why(run, "sum"),
            "called once; it adds up 3 scalars: if they are losses, pass backward() the list, which needs no sum");

  for (Expr loss : losses) total = total + loss;
  EXPECT_EQ(why(engine.dry_run(g), "add"),
            "a chain of 3 calls takes 3 steps, and no other chain has a call left for these; it adds up 4 scalars: if "
            "they are losses, pass backward() the list, which needs no sum");
}

TEST(DryRun, tells_layers_of_other_parameters_apart) {
  Parameters params(1);
  const Parameter w = Scope(params).add("w", {4, 4}), u = Scope(params).add("u", {4, 4});
  Engine engine;
  Graph g = engine.graph();
  const Expr x = input(g, std::vector<float>(4, 1.f), {4});
  (void)linear(x, w);
  (void)linear(x, u);
  EXPECT_EQ(why(engine.dry_run(g), "linear [4] #2"), "called once; other cells of this name have other parameters");
}

TEST(DryRun, of_nothing_is_empty) {
  Engine engine;
  const Graph g = engine.graph();
  EXPECT_EQ(engine.dry_run(g).text(), "0 calls\n");
  EXPECT_TRUE(engine.dry_run(g).steps.empty());
}

TEST(DryRun, asks_the_engine_that_recorded) {
  Engine one, other;
  const Graph g = one.graph();
  EXPECT_EQ(error_of([&] { (void)other.dry_run(g); }),
            "dry_run: the graph belongs to another engine; ask the one that recorded it");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
