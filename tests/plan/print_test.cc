// Golden texts of the plans of small graphs, in tests/plan/golden. Offsets, strides and sizes are in elements; a region
// starts at a multiple of 16. Each test shows one rule of the planner; later tests build on earlier ones.
#include <gtest/gtest.h>

#include "golden/golden.h"
#include "plan/planned.h"

namespace espalier {
namespace ESPALIER_FILE {

void expect_plan(const std::string& file, const std::string& text) {
  golden::expect_golden(file + ".txt", text, "tests/plan/golden");
}
void expect_plan(const std::string& file, const Planned& p) { expect_plan(file, print(p.plan, p.layout)); }

struct Fixture : testing::Test {
  Parameters params{1};
  Scope scope{params};
  Engine engine{{.device = Device::null()}};
  Graph g = engine.graph();
};
using PlanText = Fixture;

// One cell over three examples: each cell is one step over contiguous rows. `layer` reads the rows of `input` in place:
// its input is bound to the output of the step before, and nothing is gathered.
TEST_F(PlanText, OneCell) {
  const Parameter w = scope.add("w", {2, 2});
  const auto layer = scope.cell("layer", {{2}}, [&](Expr x) { return tanh(linear(x, w)); });
  for (int e = 0; e < 3; ++e) layer(row(g, 2));
  expect_plan("one_cell", Planned(g).forward());
}

// Argument 0 uses the rows in the order in which they are stored and is bound in place; argument 1 uses them in reverse
// order and is gathered into separate rows.
TEST_F(PlanText, InPlaceAndGathered) {
  const auto pair = scope.cell("pair", {{2}, {2}}, [](Expr a, Expr b) { return a * tanh(b); });
  const std::vector<Expr> xs{row(g, 2), row(g, 2), row(g, 2)};
  for (size_t i = 0; i < 3; ++i) pair(xs[i], xs[2 - i]);
  expect_plan("in_place_and_gathered", Planned(g).forward());
}

struct Chain : Fixture {
  const Parameter w = scope.add("w", {2, 2}), u = scope.add("u", {2, 2});
  const Cell<Expr(Expr, Expr)> cell =
      scope.cell("rnn", {{2}, {2}}, [&](Expr x, Expr h) { return tanh(linear(x, w) + linear(h, u)); });
  std::vector<Expr> xs;
  Expr last;

  void SetUp() override {
    for (int i = 0; i < 3; ++i) xs.push_back(row(g, 2));
    last = row(g, 2);
    for (const Expr& x : xs) last = cell(x, last);
  }
};
using PlanTextChain = Chain;

// A recurrence over three words: one step per word. Each buffer has one region with a row per step, and both products
// run in every step.
TEST_F(PlanTextChain, EveryStepMultipliesItsWord) { expect_plan("chain", Planned(g).forward()); }

// The same recurrence with hoisting: w x runs once for the rows of all steps; the steps add u h to its rows.
TEST_F(PlanTextChain, ProductsOfAllWordsAreHoisted) {
  expect_plan("chain_hoisted", Planned(g).forward({.hoist_below = 32}));
}

// The backward pass of the hoisted recurrence. Steps run from the last to the first; the dout of each is the din of its
// reader, in place. The gradient of all words is one hoisted product after the last step, because a word is watched.
// The gradient of w is one product over all rows; that of u is two, as the initial state is not next to the others.
TEST_F(PlanTextChain, GradientsOfAllWordsAreHoisted) {
  const Expr loss = sum_elements(last);
  expect_plan("chain_backward", Planned(g).forward({.hoist_below = 32}).backward({loss}, {xs[0]}));
}

// A binary tree of four leaves: auto makes one step per height. The two children of a node are parts of a concat, so
// they are gathered directly into the rows that the product reads (`in the rows of`).
TEST_F(PlanText, Tree) {
  const Parameter w = scope.add("w", {2, 4});
  const auto node = scope.cell("node", {{2}, {2}}, [&](Expr l, Expr r) { return tanh(linear(concat(l, r), w)); });
  const Expr a = row(g, 2), b = row(g, 2), c = row(g, 2), d = row(g, 2);
  node(node(a, b), node(c, d));
  expect_plan("tree", Planned(g).forward());
}

// A cell over groups of 2, 0 and 1 items: the buffers of the group have one row per item, the output has one row per
// call.
TEST_F(PlanText, Lists) {
  const auto pool = scope.cell("pool", {{2}}, [](Many<Expr> items) { return sum_rows(tanh(Expr(items))); });
  const std::vector<Expr> two{row(g, 2), row(g, 2)}, none, one{row(g, 2)};
  for (const auto* list : {&two, &none, &one}) pool(group(g, *list));
  expect_plan("lists", Planned(g).forward());
}

// Inference: a row is freed after the step that reads it last (`free`), and a later step takes its elements. The kept
// result is never freed.
TEST_F(PlanText, RowsAreReused) {
  const auto layer = scope.cell("layer", {{16}}, [](Expr x) { return tanh(x) * x; });
  Expr x = row(g, 16);
  for (int i = 0; i < 4; ++i) x = layer(x);
  expect_plan("reuse", Planned(g).forward({.reuse = true}, {x.id()}));
}

// A step of five rows in chunks of two (`part of`): all chunks use the same scratch. The last row is a separate chunk,
// because it is at least half a chunk; a smaller remainder would be added to the chunk before.
TEST_F(PlanText, Chunks) {
  const Parameter w = scope.add("w", {2, 2});
  const auto layer = scope.cell("layer", {{2}}, [&](Expr x) { return softmax(linear(x, w)); });
  for (int e = 0; e < 5; ++e) layer(row(g, 2));
  expect_plan("chunks", Planned(g).forward({.chunk_rows = 2}));
}

// Losses over wide rows: the forward plan does not run them. The backward plan runs forward and backward steps in
// turn, chunk by chunk, over the same scratch, and adds the gradient of w after every four rows (`accumulate` within a
// step). Only losses and the gradients of inputs have rows for all calls.
TEST_F(PlanText, WideLosses) {
  const Parameter w = scope.add("w", {3, 2});
  const auto loss = scope.cell("loss", {{2}, {}}, [&](Expr x, Index i) { return cross_entropy(linear(x, w), i); });
  std::vector<Expr> losses, xs;
  for (int e = 0; e < 6; ++e) xs.push_back(row(g, 2));
  for (int e = 0; e < 6; ++e) losses.push_back(loss(xs[static_cast<size_t>(5 - e)], e % 3));
  const PlanOptions options{.chunk_rows = 2, .wide = true, .defer = true};
  Planned planned(g);
  expect_plan("wide_forward", planned.forward(options));
  expect_plan("wide_backward", planned.backward(losses, {xs[0]}, options));
}

// Two readers of one value: its gradient is the sum of their din rows, a gather with two sources per row.
TEST_F(PlanText, TwoReaders) {
  const Parameter b = scope.add("b", {2});
  const auto shift = scope.cell("shift", {{2}}, [&](Expr x) { return x + b; });
  const auto square = scope.cell("square", {{2}}, [](Expr x) { return sum_elements(x * x); });
  const auto product = scope.cell("product", {{2}}, [](Expr x) { return sum_elements(tanh(x) * x); });
  std::vector<Expr> losses;
  for (int e = 0; e < 2; ++e) {
    const Expr y = shift(row(g, 2));
    losses.push_back(square(y));
    losses.push_back(product(y));
  }
  expect_plan("two_readers", Planned(g).forward().backward(losses));
}

// A lookup table: its gradient is a list of rows and the table rows that they are added to. The frozen table has no
// gradient, and the cell that only reads the frozen table has no backward step.
TEST_F(PlanText, Tables) {
  const Lookup words = scope.add_lookup("words", 5, {2});
  Lookup fixed = scope.add_lookup("fixed", 5, {2});
  fixed.freeze();
  std::vector<Expr> losses;
  for (const int word : {3, 1, 3}) {
    const Expr constant = lookup(g, fixed, word);  // separate: the order of evaluation of arguments is unspecified
    losses.push_back(dot(lookup(g, words, word), constant));
  }
  expect_plan("tables", Planned(g).forward().backward(losses));
}

// A watched value: its gradient is summed into a separate row after all steps (`final gather`). A watched value that no
// loss depends on has no gradient.
TEST_F(PlanText, Watched) {
  const Expr x = row(g, 2), unused = row(g, 2);
  const Expr loss = dot(x, tanh(x));
  expect_plan("watched", Planned(g).forward().backward({loss}, {x, unused}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
