// Invalid values: empty, stale, from another graph, cell or engine, or from a closed graph.
#include <optional>

#include "errors/error_test.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using Graphs = Errors;

TEST_F(Graphs, two_are_not_mixed) {
  Graph g = engine.graph(), h = engine.graph();
  const Expr a = row(g, 2), b = row(h, 2);
  const auto cell = scope.cell("c", {{2}, {2}}, [](Expr x, Expr y) { return x + y; });
  const auto pool = scope.cell("pool", {{2}}, [](Many<Expr> xs) { return sum_rows(xs); });
  EXPECT_ERROR(GraphError, "add: values of two graphs are mixed; all must be recorded in one graph (@)", a + b);
  EXPECT_ERROR(GraphError, "c: values of two graphs are mixed; all must be recorded in one graph (@)", cell(a, b));
  EXPECT_ERROR(GraphError, "c: values of two graphs are mixed; all must be recorded in one graph (@)", cell(h, a, b));
  EXPECT_ERROR(GraphError, "sum: values of two graphs are mixed; all must be recorded in one graph (@)",
               sum(std::array{a, b}));
  EXPECT_ERROR(GraphError, "concat: values of two graphs are mixed; all must be recorded in one graph (@)",
               concat(a, b));
  EXPECT_ERROR(GraphError, "emit: values of two graphs are mixed; all must be recorded in one graph", g.emit("m", b));
  const Many<Expr> group_of_h = group(h, std::vector{b});
  const char* text = "pool: a group of another graph is given; all must be recorded in one graph (@)";
  EXPECT_ERROR(GraphError, text, pool(g, group_of_h));
  text = "group: values of two graphs are mixed; all must be recorded in one graph (@)";
  EXPECT_ERROR(GraphError, text, group(g, std::vector{a, b}));
  EXPECT_EQ(g.calls() + h.calls(), 2u);
}

TEST_F(Graphs, a_stale_value) {
  Graph g = engine.graph();
  Expr cleared = row(g, 2);
  g.clear();
  const Expr kept = row(g, 2);
  const Graph::Mark mark = g.mark();
  const Expr reverted = tanh(kept);
  g.revert(mark);
  Expr destroyed, moved;
  {
    Graph h = engine.graph();
    destroyed = row(h, 2);
  }
  {
    Graph h = engine.graph();
    moved = row(h, 2);
    h = engine.graph();
  }
  const auto cell = scope.cell("c", {{2}}, [](Expr x) { return tanh(x); });
  for (Expr x : {cleared, reverted, destroyed, moved}) {
    EXPECT_ERROR(GraphError, "tanh: the value is stale; its graph was cleared, reverted or destroyed (@)", tanh(x));
    EXPECT_ERROR(GraphError, "c: the value is stale; its graph was cleared, reverted or destroyed (@)", cell(x));
    EXPECT_ERROR(GraphError, "value: the value is stale; its graph was cleared, reverted or destroyed",
                 engine.tensor(x));
    EXPECT_ERROR(GraphError, "backward: the value is stale; its graph was cleared, reverted or destroyed",
                 engine.backward(x));
    EXPECT_ERROR(GraphError, "watch: the value is stale; its graph was cleared, reverted or destroyed",
                 engine.watch(x));
    EXPECT_ERROR(GraphError, "shape: the value is stale; its graph was cleared, reverted or destroyed", x.shape());
  }
  EXPECT_ERROR(GraphError, "sum: the value is stale; its graph was cleared, reverted or destroyed (@)",
               sum(std::array{kept, reverted}));
  // A new value with the id of the reverted one does not make the reverted one valid.
  const Expr again = tanh(kept);
  EXPECT_ERROR(GraphError, "tanh: the value is stale; its graph was cleared, reverted or destroyed (@)",
               tanh(reverted));
  EXPECT_EQ(engine.tensor(again).size(), 2u);
}

TEST_F(Graphs, a_stale_group) {
  const auto pool = scope.cell("pool", {{2}}, [](Many<Expr> xs) { return sum_rows(xs); });
  Graph g = engine.graph();
  const Many<Expr> xs = group(g, std::vector{row(g, 2)});
  g.clear();
  EXPECT_ERROR(GraphError, "pool: the group is stale; its graph was cleared, reverted or destroyed (@)", pool(g, xs));
}

TEST_F(Graphs, a_mark_that_is_gone) {
  Graph g = engine.graph();
  const Graph::Mark start = g.mark();
  const Expr a = row(g, 2);
  const Graph::Mark first = g.mark();
  (void)tanh(a);
  const Graph::Mark second = g.mark();
  g.revert(second);
  g.revert(first);
  // The graph now has as many calls as at the second mark, but different ones.
  const Expr b = concat(a, a);
  (void)tanh(b);
  const char* text =
      "revert: the mark at 2 calls is stale; the graph was cleared or reverted to an earlier point; take a new mark";
  EXPECT_ERROR(GraphError, text, g.revert(second));
  EXPECT_EQ(engine.tensor(b).to_vector(), (std::vector<float>{1, 1, 1, 1}));
  g.revert(first);
  EXPECT_EQ(engine.tensor(a * 2).to_vector(), (std::vector<float>{2, 2}));
  g.clear();
  (void)row(g, 2);
  text = "revert: the mark at 1 calls is stale; the graph was cleared or reverted to an earlier point; take a new mark";
  EXPECT_ERROR(GraphError, text, g.revert(first));
  g.revert(start);
  EXPECT_EQ(g.calls(), 0u) << "nothing comes before the start";
}

TEST_F(Graphs, an_empty_value) {
  Graph g = engine.graph();
  const Expr empty, a = row(g, 2);
  const auto cell = scope.cell("c", {{2}, {2}}, [](Expr x, Expr y) { return x + y; });
  const auto pool = scope.cell("pool", {{2}}, [](Many<Expr> xs) { return sum_rows(xs); });
  EXPECT_ERROR(GraphError, "tanh: an empty Expr is given; a value is needed (@)", tanh(empty));
  EXPECT_ERROR(GraphError, "softmax: an empty Expr is given; a value is needed (@)", softmax(empty));
  EXPECT_ERROR(GraphError, "split: an empty Expr is given; a value is needed (@)", split<2>(empty));
  EXPECT_ERROR(GraphError, "add: an empty Expr is given; a value is needed (@)", a + empty);
  EXPECT_ERROR(GraphError, "c: an empty Expr is given; a value is needed (@)", cell(a, empty));
  EXPECT_ERROR(GraphError, "c: an empty Expr is given; a value is needed (@)", cell(empty, a));
  EXPECT_ERROR(GraphError, "c: an empty Expr is given; a value is needed (@)", cell(g, empty, empty));
  EXPECT_ERROR(GraphError, "pool: an empty Expr is given; a value is needed (@)", pool(std::vector{a, empty}));
  EXPECT_ERROR(GraphError, "sum: an empty Expr is given; a value is needed (@)", sum(std::array{empty, a}));
  EXPECT_ERROR(GraphError, "concat: an empty Expr is given; a value is needed (@)", concat(std::vector<Expr>(50)));
  EXPECT_ERROR(GraphError, "value: an empty Expr is given; a value is needed", engine.value(empty));
  EXPECT_ERROR(GraphError, "backward: an empty Expr is given; a value is needed", engine.backward(empty));
  EXPECT_ERROR(GraphError, "watch: an empty Expr is given; a value is needed", engine.watch(empty));
  EXPECT_ERROR(GraphError, "emit: an empty Expr is given; a value is needed", g.emit("m", empty));
  EXPECT_ERROR(GraphError, "shape: an empty Expr has no shape; a value is needed", empty.shape());
  EXPECT_ERROR(GraphError, "c: an empty Expr is given; a value is needed (@)",
               scope.cell("c", {{2}}, [](Expr) { return Expr(); }));
  EXPECT_ERROR(GraphError, "parameter: it is empty; make it with Scope::add (@)", a * Parameter());
  EXPECT_ERROR(GraphError, "cell: it is empty; make it with Scope::cell (@)", Cell<Expr(Expr)>()(a));
  EXPECT_EQ(g.calls(), 1u);
}

TEST_F(Graphs, none_is_named) {
  const nn::Embedding words(scope / "words", 10, 2);
  const Parameter a = scope.add("a", {2});
  const auto pool = scope.cell("pool", {{2}}, [](Many<Expr> xs) { return sum_rows(xs); });
  const char* text = "words.lookup: no argument determines the graph; pass the Graph first (@)";
  EXPECT_ERROR(GraphError, text, words.cell(3));
  EXPECT_ERROR(GraphError, "pool: no argument determines the graph; pass the Graph first (@)",
               pool(std::vector<Expr>()));
  text = "lookup: no operand determines the graph; pass the Graph first, or use a value of it: row(g, parameter) (@)";
  EXPECT_ERROR(GraphError, text, lookup(words.weight, 3));
  text = "add: no operand determines the graph; pass the Graph first, or use a value of it: row(g, parameter) (@)";
  EXPECT_ERROR(GraphError, text, a + a);
}

TEST_F(Graphs, a_value_of_a_graph_inside_a_cell) {
  Graph g = engine.graph();
  const Expr outside = row(g, 2);
  const char* text =
      "add: a value belongs to a graph, but a cell is being traced; pass it to the cell as an argument (@)";
  EXPECT_ERROR(GraphError, text, scope.cell("c", {{2}}, [&](Expr x) { return x + outside; }));
  text = "c: a value belongs to a graph, but a cell is being traced; pass it to the cell as an argument (@)";
  EXPECT_ERROR(GraphError, text, scope.cell("c", {{2}}, [&](Expr) { return outside; }));
  const auto both = scope.cell("both", {{2}, {2}}, [](Expr x, Expr y) { return x + y; });
  text = "both: a value belongs to a graph, but a cell is being traced; pass it to the cell as an argument (@)";
  EXPECT_ERROR(GraphError, text, scope.cell("c", {{2}}, [&](Expr x) { return both(outside, x); }));
}

TEST_F(Graphs, a_value_of_a_cell_outside_it) {
  Graph g = engine.graph();
  const Expr a = row(g, 2);
  Expr escaped;
  Index escaped_index;
  (void)scope.cell("c", {{2}, {}}, [&](Expr x, Index i) {
    escaped = x;
    escaped_index = i;
    EXPECT_ERROR(GraphError, "value: a value inside a cell has no number; ask for the cell's result", engine.value(x));
    EXPECT_ERROR(GraphError,
                 "emit: a value belongs to a cell that is being traced, not to the graph; use the cell's result",
                 g.emit("x", x));
    return pick(x, i);
  });
  EXPECT_ERROR(GraphError, "tanh: the value belongs to a cell whose definition has ended; use the cell's result (@)",
               tanh(escaped));
  EXPECT_ERROR(GraphError, "pick: the value belongs to a cell whose definition has ended; use the cell's result (@)",
               pick(a, escaped_index));
  EXPECT_ERROR(GraphError, "value: a value inside a cell has no number; ask for the cell's result",
               engine.value(escaped));
  // The next definition reuses the memory of an earlier one, whose values stay invalid.
  const char* text = "add: the value belongs to a cell whose definition has ended; use the cell's result (@)";
  EXPECT_ERROR(GraphError, text, scope.cell("d", {{2}}, [&](Expr x) { return x + escaped; }));
  text = "add: a value belongs to another cell, but a cell is being traced; pass it to the cell as an argument (@)";
  EXPECT_ERROR(GraphError, text, scope.cell("o", {{2}}, [&](Expr x) {
    return scope.cell("i", {{2}}, [&](Expr y) { return y + x; })(x);
  }));
}

TEST_F(Graphs, a_closed_graph) {
  const std::vector<float> xs{1, 2, 3};
  auto batch = engine.record(xs, [](Graph& g, float x) { return tanh(input(g, x)); });
  EXPECT_EQ(engine.infer(batch).size(), 3u);
  const Expr x = batch.results[0];
  EXPECT_ERROR(GraphError, "value: the graph is closed by infer, its rows were reused; record it again",
               engine.value(x));
  EXPECT_ERROR(GraphError, "infer: the graph is closed by infer, its rows were reused; record it again",
               engine.infer(batch));
  EXPECT_ERROR(GraphError, "backward: the graph is closed by infer, its rows were reused; record it again",
               engine.backward(x));
  EXPECT_ERROR(GraphError, "tanh: the graph is closed by infer, its rows were reused; record it again (@)", tanh(x));
  EXPECT_ERROR(GraphError, "input: the graph is closed by infer, its rows were reused; record it again (@)",
               input(batch.shards[0], 1.f));
  batch.shards[0].clear();
  EXPECT_EQ(engine.value(input(batch.shards[0], 1.f)), 1) << "a cleared graph is open again";
}

TEST_F(Graphs, a_value_of_another_engine) {
  Engine other;
  Graph g = other.graph();
  const Expr x = input(g, 1.f);
  EXPECT_ERROR(GraphError, "value: the value belongs to another engine; ask the one that recorded it", engine.value(x));
  EXPECT_ERROR(GraphError, "backward: the value belongs to another engine; ask the one that recorded it",
               engine.backward(x));
  EXPECT_ERROR(GraphError, "watch: the value belongs to another engine; ask the one that recorded it", engine.watch(x));
  EXPECT_ERROR(GraphError, "explain: the graph belongs to another engine; ask the one that recorded it",
               engine.explain(g));
  EXPECT_EQ(other.value(x), 1);
}

TEST_F(Graphs, a_gradient_that_was_not_watched) {
  Graph g = engine.graph();
  const Expr x = row(g, 2), y = row(g, 2);
  engine.watch(x);
  const Gradients gradients = engine.backward(sum_elements(x * y));
  EXPECT_EQ(gradients.of(x).to_vector(), (std::vector<float>{1, 1}));
  EXPECT_ERROR(GraphError, "gradients: the value was not watched; call engine.watch(x) before backward",
               gradients.of(y));
}

TEST_F(Graphs, rows_of_a_many_outside_a_cell) {
  Graph g = engine.graph();
  const std::vector<Expr> items{row(g, 2)};
  const Many<Expr> xs = group(g, items);
  EXPECT_ERROR(GraphError, "Many: its rows are read outside a cell; only the cell that takes it can read them",
               tanh(Expr(xs)));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
