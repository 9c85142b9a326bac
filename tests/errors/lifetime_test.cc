// Stale handles, moved-from objects, and empty objects.
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include <espalier/engine/pipeline.h>
#include <espalier/io/checkpoint.h>
#include <espalier/optim/moving_average.h>
#include "errors/error_test.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using Lifetimes = Errors;

// All uses of a stale value, each of which must report it.
void expect_stale(Engine& engine, Scope scope, Expr x) {
  const auto cell = scope.cell("c", {{2}}, [](Expr y) { return tanh(y); });
  const auto pool = scope.cell("pool", {{2}}, [](Many<Expr> xs) { return sum_rows(xs); });
  EXPECT_ERROR(GraphError, "tanh: the value is stale; its graph was cleared, reverted or destroyed (@)", tanh(x));
  EXPECT_ERROR(GraphError, "add: the value is stale; its graph was cleared, reverted or destroyed (@)", x + x);
  EXPECT_ERROR(GraphError, "c: the value is stale; its graph was cleared, reverted or destroyed (@)", cell(x));
  EXPECT_ERROR(GraphError, "pool: the value is stale; its graph was cleared, reverted or destroyed (@)",
               pool(std::vector{x}));
  EXPECT_ERROR(GraphError, "sum: the value is stale; its graph was cleared, reverted or destroyed (@)",
               sum(std::array{x, x}));
  EXPECT_ERROR(GraphError, "concat: the value is stale; its graph was cleared, reverted or destroyed (@)",
               concat(std::vector<Expr>(50, x)));
  EXPECT_ERROR(GraphError, "shape: the value is stale; its graph was cleared, reverted or destroyed", x.shape());
  EXPECT_ERROR(GraphError, "value: the value is stale; its graph was cleared, reverted or destroyed", engine.tensor(x));
  EXPECT_ERROR(GraphError, "watch: the value is stale; its graph was cleared, reverted or destroyed", engine.watch(x));
  EXPECT_ERROR(GraphError, "value: the value is stale; its graph was cleared, reverted or destroyed (@)", value(x));
  Graph g = engine.graph();
  EXPECT_ERROR(GraphError, "c: the value is stale; its graph was cleared, reverted or destroyed (@)", cell(g, x));
  EXPECT_ERROR(GraphError, "emit: the value is stale; its graph was cleared, reverted or destroyed", g.emit("m", x));
  EXPECT_ERROR(GraphError, "add: the value is stale; its graph was cleared, reverted or destroyed (@)",
               ones(g, {2}) + x);
  EXPECT_ERROR(GraphError, "add: the value is stale; its graph was cleared, reverted or destroyed (@)",
               scope.cell("d", {{2}}, [&](Expr y) { return y + x; }));
}

TEST_F(Lifetimes, of_a_value_whose_graph_and_engine_are_gone) {
  Expr x;
  Many<Expr> xs;
  {
    Engine gone;
    Graph g = gone.graph();
    x = row(g, 2);
    xs = group(g, std::vector{x});
  }
  expect_stale(engine, scope, x);
  // A new engine and graph reuse the memory and the tape entry of the old ones.
  Engine next;
  Graph h = next.graph();
  const Expr y = row(h, 2);
  expect_stale(engine, scope, x);
  const auto pool = scope.cell("pool", {{2}}, [](Many<Expr> ys) { return sum_rows(ys); });
  EXPECT_ERROR(GraphError, "pool: the group is stale; its graph was cleared, reverted or destroyed (@)", pool(h, xs));
  EXPECT_ERROR(GraphError, "pool: the value is stale; its graph was cleared, reverted or destroyed (@)", pool(xs));
  EXPECT_EQ(next.tensor(y).to_vector(), (std::vector<float>{1, 1}));
}

TEST_F(Lifetimes, of_a_value_inside_a_cell_whose_parameters_are_gone) {
  Graph g = engine.graph();
  const Expr a = row(g, 2);
  Expr escaped;
  Index escaped_index;
  Number escaped_number;
  Many<Expr> escaped_many;
  {
    Parameters gone;
    (void)Scope(gone).cell("c", {{2}, {}, {}, {2}}, [&](Expr x, Index i, Number n, Many<Expr> xs) {
      escaped = x, escaped_index = i, escaped_number = n, escaped_many = xs;
      return pick(x, i) * n + sum_elements(sum_rows(xs));
    });
  }
  const auto pool = scope.cell("pool", {{2}}, [](Many<Expr> xs) { return sum_rows(xs); });
  const auto scaled = scope.cell("scaled", {{2}, {}}, [](Expr x, Number n) { return x * n; });
  const char* text = "tanh: the value belongs to a cell whose definition has ended; use the cell's result (@)";
  EXPECT_ERROR(GraphError, text, tanh(escaped));
  text = "pick: the value belongs to a cell whose definition has ended; use the cell's result (@)";
  EXPECT_ERROR(GraphError, text, pick(a, escaped_index));
  text = "mul: the value belongs to a cell whose definition has ended; use the cell's result (@)";
  EXPECT_ERROR(GraphError, text, a * escaped_number);
  text = "pool: the value belongs to a cell whose definition has ended; use the cell's result (@)";
  EXPECT_ERROR(GraphError, text, pool(escaped_many));
  text = "shape: the value belongs to a cell whose definition has ended; use the cell's result";
  EXPECT_ERROR(GraphError, text, escaped.shape());
  text = "add: the value belongs to a cell whose definition has ended; use the cell's result (@)";
  EXPECT_ERROR(GraphError, text, scope.cell("d", {{2}}, [&](Expr x) { return x + escaped; }));
  text = "pool: the value belongs to a cell whose definition has ended; use the cell's result (@)";
  EXPECT_ERROR(GraphError, text, scope.cell("e", {{2}}, [&](Expr x) { return x + pool(escaped_many); }));
  EXPECT_ERROR(GraphError, "value: a value inside a cell has no number; ask for the cell's result",
               engine.value(escaped));
  EXPECT_EQ(g.calls(), 1u);
}

// A row of the cell being defined, in a list that is not one of its arguments.
TEST_F(Lifetimes, of_a_list_made_inside_a_cell) {
  const auto pool = scope.cell("pool", {{2}}, [](Many<Expr> xs) { return sum_rows(xs); });
  EXPECT_ERROR(GraphError, "pool: inside a cell, a list of rows must be a list argument of that cell (@)",
               scope.cell("c", {{2}}, [&](Expr x) { return pool(std::vector{x, x}); }));
}

TEST_F(Lifetimes, of_a_scope_whose_parameters_are_gone) {
  std::optional<Parameters> gone(std::in_place);
  const Scope late = *gone / "late";
  gone.reset();
  EXPECT_ERROR(GraphError,
               "scope 'late': the parameters that it adds to were destroyed; they must be alive while modules are made",
               late.add("w", {2}));
  EXPECT_ERROR(
      GraphError,
      "scope 'late.out': the parameters that it adds to were destroyed; they must be alive while modules are made",
      nn::Linear(late / "out", 2, 2));
  EXPECT_ERROR(GraphError,
               "scope 'late': the parameters that it adds to were destroyed; they must be alive while modules are made",
               late.cell("c", {{2}}, [](Expr x) { return x; }));
  // A scope stays valid if its Parameters are moved.
  Parameters first;
  const Scope early = first / "early";
  const Parameters second = std::move(first);
  EXPECT_EQ(early.add("w", {2}).name(), "early.w");
  EXPECT_EQ(second.count(), 2u);
  // Parameters destroyed while a cell is being defined stay alive until it is complete.
  gone.emplace();
  const Scope here = *gone;
  const auto twice = here.cell("twice", {{2}}, [&](Expr x) {
    gone.reset();
    return x * 2;
  });
  Graph g = engine.graph();
  EXPECT_EQ(engine.tensor(twice(row(g, 2))).to_vector(), (std::vector<float>{2, 2}));
}

TEST_F(Lifetimes, of_a_mark_of_another_graph) {
  Graph g = engine.graph(), h = engine.graph();
  (void)row(g, 2);
  (void)row(h, 2);
  EXPECT_ERROR(GraphError, "revert: the mark at 1 calls belongs to another graph; use a mark of this graph",
               g.revert(h.mark()));
  EXPECT_EQ(g.calls(), 1u);
}

TEST_F(Lifetimes, of_a_graph_that_was_moved_from) {
  Graph g = engine.graph();
  const Expr x = row(g, 2);
  Graph h = std::move(g);
  const auto cell = scope.cell("c", {{2}}, [](Expr y) { return tanh(y); });
  const char* text = "graph: it is empty; it was moved from, or its content was taken";
  EXPECT_ERROR(GraphError, text, ones(g, {2}));
  EXPECT_ERROR(GraphError, text, cell(g, x));
  EXPECT_ERROR(GraphError, text, g.calls());
  EXPECT_ERROR(GraphError, text, g.mode());
  EXPECT_ERROR(GraphError, text, g.mark());
  EXPECT_ERROR(GraphError, text, g.clear());
  EXPECT_ERROR(GraphError, text, g.random());
  EXPECT_ERROR(GraphError, text, g.emit("m", x));
  EXPECT_ERROR(GraphError, text, g.revert(h.mark()));
  EXPECT_ERROR(GraphError, text, engine.explain(g));
  EXPECT_ERROR(GraphError, text, group(g, std::vector{x}));
  EXPECT_EQ(h.calls(), 1u);
  Graph& same = h;
  h = std::move(same);
  EXPECT_EQ(engine.tensor(cell(x)).size(), 2u) << "a graph that is moved to itself stays what it is";
}

TEST_F(Lifetimes, of_an_engine_that_was_moved_from) {
  Engine from;
  Graph g = from.graph();
  const Expr x = input(g, 2.f);
  Engine to = std::move(from);
  const std::vector<float> xs{1, 2};
  const auto f = [](Graph& h, float v) { return input(h, v); };
  auto batch = to.record(xs, f);
  const char* text = "engine: it is empty; it was moved from, or its content was taken";
  EXPECT_ERROR(GraphError, text, from.graph());
  EXPECT_ERROR(GraphError, text, from.value(x));
  EXPECT_ERROR(GraphError, text, from.backward(x));
  EXPECT_ERROR(GraphError, text, from.record(xs, f));
  EXPECT_ERROR(GraphError, text, from.infer(batch));
  EXPECT_ERROR(GraphError, text, from.start(to.record(xs, f)));
  EXPECT_ERROR(GraphError, text, from.watch(x));
  EXPECT_ERROR(GraphError, text, from.wait());
  EXPECT_ERROR(GraphError, text, from.explain(g));
  EXPECT_ERROR(GraphError, text, from.dry_run(g));
  EXPECT_ERROR(GraphError, text, from.profile());
  EXPECT_ERROR(GraphError, text, from.counters());
  EXPECT_ERROR(GraphError, text, from.reset_counters());
  EXPECT_ERROR(GraphError, text, from.set_timed(true));
  EXPECT_ERROR(GraphError, text, from.seed());
  EXPECT_ERROR(GraphError, text, from.set_seed(1));
  const auto make = [](Graph& h, uint64_t id) { return input(h, static_cast<float>(id)); };
  EXPECT_ERROR(GraphError, text, Pipeline(from, 1, make));
  EXPECT_EQ(to.value(x), 2);
  EXPECT_EQ(to.infer(batch).size(), 2u);
}

TEST_F(Lifetimes, of_gradients_that_were_moved_from) {
  const Parameter w = scope.add("w", {2});
  Graph g = engine.graph();
  Gradients from = engine.backward(sum_elements(row(g, 2) * w));
  Gradients to = std::move(from);
  optim::SGD sgd(params);
  const char* text = "gradients: it is empty; it was moved from, or its content was taken";
  EXPECT_ERROR(GraphError, text, from.loss());
  EXPECT_ERROR(GraphError, text, from.of(w));
  EXPECT_ERROR(GraphError, text, from.norm());
  EXPECT_ERROR(GraphError, text, from.clip_norm(1));
  EXPECT_ERROR(GraphError, text, from *= 2);
  EXPECT_ERROR(GraphError, text, to += std::move(from));
  EXPECT_ERROR(GraphError, text, sgd.step(from));
  EXPECT_EQ(to.of(w).to_vector(), (std::vector<float>{1, 1}));
}

TEST_F(Lifetimes, of_parameters_that_were_moved_from) {
  Parameters from;
  Parameters to = std::move(from);
  const char* text = "parameters: it is empty; it was moved from, or its content was taken";
  EXPECT_ERROR(GraphError, text, Scope(from));
  EXPECT_ERROR(GraphError, text, from / "x");
  EXPECT_ERROR(GraphError, text, from["x"]);
  EXPECT_ERROR(GraphError, text, from.all());
  EXPECT_ERROR(GraphError, text, from.count());
  EXPECT_ERROR(GraphError, text, from.summary());
  EXPECT_ERROR(GraphError, text, optim::SGD(from));
  EXPECT_ERROR(GraphError, text, optim::MovingAverage(from));
  EXPECT_ERROR(GraphError, text, io::save("unwritten", {&from}));
  EXPECT_EQ(to.count(), 0u);
}

TEST_F(Lifetimes, of_handles_that_share) {
  (void)scope.add("w", {2});
  optim::SGD sgd(params);
  optim::MovingAverage average(params);
  const optim::SGD other = std::move(sgd);
  const optim::MovingAverage another = std::move(average);
  EXPECT_EQ(sgd.lr(), other.lr()) << "moving a handle copies it";
  EXPECT_EQ(average.tensors().size(), another.tensors().size());
}

TEST_F(Lifetimes, of_an_empty_cell) {
  const Cell<Expr(Expr)> cell;
  Graph g = engine.graph();
  EXPECT_ERROR(GraphError, "cell: it is empty; make it with Scope::cell (@)", cell(row(g, 2)));
  EXPECT_ERROR(GraphError, "cell: it is empty; make it with Scope::cell", cell.name());
  EXPECT_ERROR(GraphError, "cell: it is empty; make it with Scope::cell", cell.explain());
}

TEST_F(Lifetimes, of_results_on_their_way) {
  const std::vector<float> xs{1, 2};
  const auto f = [](Graph& g, float x) { return input(g, x); };
  std::optional<Engine> other(std::in_place);
  auto results = other->start(other->record(xs, f));
  other.reset();
  auto moved = std::move(results);
  const char* text = "inference: it is empty; it was moved from, or its content was taken";
  EXPECT_ERROR(GraphError, text, results.get());
  EXPECT_EQ(moved.get().size(), 2u) << "they outlive the engine";
  EXPECT_ERROR(GraphError, text, moved.get());
}

TEST_F(Lifetimes, of_a_pipeline_whose_engine_is_gone) {
  const Parameter w = scope.add("w", {2});
  const auto f = [&](Graph& g, uint64_t) { return sum_elements(Errors::row(g, 2) * w); };
  std::optional<Engine> gone(std::in_place);
  Pipeline pipeline(*gone, 2, f);
  pipeline.push({{1, 2, 3}, 0});
  Engine moved = std::move(*gone);
  gone.reset();
  EXPECT_EQ(pipeline.backward().of(w).to_vector(), (std::vector<float>{3, 3})) << "the engine may be moved";
  pipeline.push({{1, 2, 3}, 0});
  moved = Engine();
  const char* text = "pipeline: its engine is gone; the engine must be there as long as it is used";
  EXPECT_ERROR(GraphError, text, pipeline.backward());
  EXPECT_ERROR(GraphError, text, pipeline.push({{1}, 0}));
  EXPECT_EQ(pipeline.size(), 1u);
  Pipeline other = std::move(pipeline);
  text = "pipeline: it is empty; it was moved from, or its content was taken";
  EXPECT_ERROR(GraphError, text, pipeline.backward());
  EXPECT_ERROR(GraphError, text, pipeline.push({{1}, 0}));
  EXPECT_ERROR(GraphError, text, pipeline.size());
  EXPECT_EQ(other.size(), 1u);
}

// Handles that stay usable after the engine, the graph or the parameters are destroyed.
TEST_F(Lifetimes, of_what_owns_its_numbers) {
  std::optional<Engine> gone(std::in_place);
  std::optional<Parameters> names(std::in_place, 1);
  const nn::Linear out(*names / "out", 2, 1);
  optim::Adam adam(*names);
  optim::MovingAverage average(*names);
  std::optional<Graph> g(gone->graph());
  const Expr x = row(*g, 2);
  gone->watch(x);
  Gradients gradients = gone->backward(sum_elements(out(x)));
  const Scalar loss = gradients.loss();
  g.reset();
  gone.reset();
  names.reset();
  adam.step(gradients);
  average.update();
  gradients *= 2;
  (void)loss.get();
  EXPECT_EQ(gradients.of(out.bias).to_vector(), (std::vector<float>{2}));
  EXPECT_EQ(gradients.of(x).size(), 2u);
  Graph h = engine.graph();
  EXPECT_EQ(engine.tensor(out(row(h, 2))).size(), 1u);
}

TEST_F(Lifetimes, of_values_in_another_thread) {
  Expr x;
  std::thread([&] {
    Engine other;
    Graph g = other.graph();
    x = Errors::row(g, 2);
  }).join();
  expect_stale(engine, scope, x);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
