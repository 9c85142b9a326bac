// Incompatible shapes are rejected where the expression is written.
#include "errors/error_test.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using Shapes = Errors;

TEST_F(Shapes, linear) {
  Graph g = engine.graph();
  const Parameter W = scope.add("W", {3, 2}), b = scope.add("b", {2});
  const Expr two = row(g, 2), five = row(g, 5), six = input(g, std::vector<float>(6), {3, 2});
  EXPECT_ERROR(ShapeError, "linear: W[3,2] does not apply to x[5]; W must be [m,n] with n = 5 (@)", linear(five, W));
  EXPECT_ERROR(ShapeError, "linear: b[2] must be [3], the rows of W[3,2] (@)", linear(two, W, b));
  EXPECT_ERROR(ShapeError, "linear: b[5] must be [3], the rows of W[3,2] (@)", linear(two, W, five));
  const char* text = "linear: W[2] does not apply to x[2]; W must be [m,n] with n = 2 (@)";
  EXPECT_ERROR(ShapeError, text, linear(two, b));
  // A matrix that is a row, not a parameter, is multiplied by matmul.
  EXPECT_ERROR(ShapeError, "matmul: a[3,2] does not apply to b[5,1]; a must be [m,k] and b [k,n] (@)",
               linear(five, six));
  EXPECT_ERROR(ShapeError, "linear: b[2] must be [3], the rows of W[3,2] (@)", linear(two, six, two));
  EXPECT_EQ(g.calls(), 3u) << "what is refused is not recorded";
}

TEST_F(Shapes, of_a_module) {
  Graph g = engine.graph();
  const nn::Linear out(scope / "out", 2, 3);
  const nn::LSTM lstm(scope / "lstm", 2, 4);
  const nn::TreeLSTM tree(scope / "tree", 2, 4);
  const Expr two = row(g, 2), five = row(g, 5), four = row(g, 4);
  EXPECT_ERROR(ShapeError, "out.linear: argument 0 is [5]; it must be [2] (@)", out(five));
  EXPECT_ERROR(ShapeError, "lstm.first: argument 0 is [5]; it must be [2] (@)", lstm(five));
  EXPECT_ERROR(ShapeError, "lstm.next: argument 1.1 is [2]; it must be [4] (@)", lstm(two, nn::State{four, two}));
  EXPECT_ERROR(ShapeError, "lstm.first: argument 0 is [5]; it must be [2] (@)", lstm.run(std::array{five}));
  EXPECT_ERROR(ShapeError, "tree.node: argument 1 is [2]; it must be [4] (@)", tree.node({four, four}, {two, four}));
  EXPECT_EQ(g.calls(), 3u) << "what is refused is not recorded";
}

TEST_F(Shapes, arithmetic) {
  Graph g = engine.graph();
  const Expr a = row(g, 3), b = row(g, 4);
  EXPECT_ERROR(ShapeError, "add: a[3] and b[4] differ; the shapes must be equal, or one a scalar (@)", a + b);
  EXPECT_ERROR(ShapeError, "sub: a[3] and b[4] differ; the shapes must be equal, or one a scalar (@)", a - b);
  EXPECT_ERROR(ShapeError, "mul: a[3] and b[4] differ; the shapes must be equal, or one a scalar (@)", a * b);
  EXPECT_ERROR(ShapeError, "div: a[3] and b[4] differ; the shapes must be equal, or one a scalar (@)", a / b);
  EXPECT_ERROR(ShapeError, "dot: a[3] and b[4] differ; the shapes must be equal (@)", dot(a, b));
  EXPECT_ERROR(ShapeError, "mse_loss: x[3] and target[4] differ; the shapes must be equal, or one a scalar (@)",
               mse_loss(a, b));
}

TEST_F(Shapes, along_an_axis) {
  Graph g = engine.graph();
  const Expr x = row(g, 3), y = row(g, 4), scalar = input(g, 1.f);
  EXPECT_ERROR(ShapeError, "softmax: axis 1 of x[3]; the axis must be 0…0 (@)", softmax(x, 1));
  EXPECT_ERROR(ShapeError, "sum_axis: axis -2 of x[3]; the axis must be 0…0 (@)", sum_axis(x, -2));
  EXPECT_ERROR(ShapeError, "log_softmax: x[] is a scalar; x must have at least one axis (@)", log_softmax(scalar));
  EXPECT_ERROR(ShapeError, "split: x[3] along axis 0 into 2 parts; the axis must exist and divide evenly (@)",
               split<2>(x));
  EXPECT_ERROR(ShapeError, "reshape: x[3] to [2,2]; both must have the same number of elements (@)",
               reshape(x, {2, 2}));
  const char* text = "slice: [1,5) of x[3] along axis 0; it must be within 0…3 and not empty (@)";
  EXPECT_ERROR(ShapeError, text, slice(x, 1, 5));
  text = "concat: x[2,2] and x[3] differ in an axis other than 0; only that axis may differ (@)";
  EXPECT_ERROR(ShapeError, text, concat(input(g, std::vector<float>(4), {2, 2}), x));
  EXPECT_ERROR(ShapeError, "sum: row 1 is [4]; it must be [3] (@)", sum(std::array{x, y}));
  EXPECT_ERROR(ShapeError, "mean: row 2 is [4]; it must be [3] (@)", mean(std::array{x, x, y}));
  EXPECT_ERROR(ShapeError, "cross_entropy: logits[]; logits must be a vector (@)", cross_entropy(scalar, 0));
  EXPECT_ERROR(ShapeError, "dropout: p = 1.000000; p must be in [0, 1) (@)", dropout(x, 1));
}

TEST_F(Shapes, of_leaves) {
  Graph g = engine.graph();
  const std::vector<float> three{1, 2, 3};
  EXPECT_ERROR(ShapeError, "input: 3 numbers are given for [2]; it needs 2 (@)", input(g, three, {2}));
  EXPECT_ERROR(ShapeError, "shape: size -1 is negative; a size must be at least 0", zeros(g, {-1}));
  EXPECT_ERROR(ShapeError, "shape: 7 axes are given; a row has at most 6", zeros(g, {1, 1, 1, 1, 1, 1, 1}));
  EXPECT_ERROR(ShapeError, "one_hot: n = 0; n must be at least 1 (@)", one_hot(g, 0, 0));
}

TEST_F(Shapes, nothing_at_all) {
  Graph g = engine.graph();
  const std::vector<Expr> none;
  EXPECT_ERROR(ShapeError, "sum: nothing is given; at least one row is needed (@)", sum(none));
  EXPECT_ERROR(ShapeError, "mean: nothing is given; at least one row is needed (@)", mean(none));
  EXPECT_ERROR(ShapeError, "concat: nothing is given; at least one row is needed (@)", concat(none));
}

// ---- cells: before any data
TEST_F(Shapes, in_the_definition_of_a_cell) {
  const Parameter W = scope.add("W", {3, 2});
  const char* text = "add: a[16] and b[8] differ; the shapes must be equal, or one a scalar (@)";
  EXPECT_ERROR(ShapeError, text, scope.cell("c", {{16}, {8}}, [](Expr x, Expr y) { return x + y; }));
  text = "linear: W[3,2] does not apply to x[5]; W must be [m,n] with n = 5 (@)";
  EXPECT_ERROR(ShapeError, text, scope.cell("c", {{5}}, [&](Expr x) { return linear(x, W); }));
}

TEST_F(Shapes, as_many_as_arguments) {
  auto two = [](Expr x, Expr y) { return x + y; };
  auto one = [](Expr x) { return tanh(x); };
  auto label = [](Expr x, Index i) { return pick(x, i); };
  const char* text = "c: 1 shape is given for 2 arguments; give one each ({} for an Index or a Number) (@)";
  EXPECT_ERROR(ShapeError, text, scope.cell("c", {{3}}, two));
  EXPECT_ERROR(ShapeError, text, scope.cell("c", {{3}}, label));
  text = "in.c: 2 shapes are given for 1 argument; give one each ({} for an Index or a Number) (@)";
  EXPECT_ERROR(ShapeError, text, (scope / "in").cell("c", {{3}, {3}}, one));
}

TEST_F(Shapes, a_list_is_no_result) {
  const char* text =
      "c: the result is a list of rows[4]; a cell returns single rows: reduce it (sum_rows, mean_rows, max_rows) (@)";
  EXPECT_ERROR(ShapeError, text, scope.cell("c", {{4}}, [](Many<Expr> xs) { return tanh(Expr(xs)); }));
}

TEST_F(Shapes, two_lists_do_not_meet) {
  auto both = [](Many<Expr> xs, Many<Expr> ys) {
    return sum_rows(Expr(xs) * Expr(ys));  // the error reports this line
  };
  const std::string at = str(Where{__FILE__, __LINE__ - 2});
  EXPECT_ERROR(ShapeError, "mul: its operands are rows of two different lists; reduce one first (sum_rows)" + at,
               scope.cell("c", {{4}, {4}}, both));
}

TEST_F(Shapes, one_row_is_no_list) {
  Graph g = engine.graph();
  const char* text = "sum_rows: rows[4] is one row; it must be the rows of a list argument (@)";
  EXPECT_ERROR(ShapeError, text, scope.cell("c", {{4}}, [](Expr x) { return sum_rows(x); }));
  EXPECT_ERROR(ShapeError, text, sum_rows(row(g, 4)));
  EXPECT_ERROR(ShapeError, "mean_rows: rows[4] is one row; it must be the rows of a list argument (@)",
               mean_rows(row(g, 4)));
}

TEST_F(Shapes, of_the_rows_of_a_many) {
  struct Pair {
    Expr a, b;
  };
  const auto pool = scope.cell("pool", {{}, {2}},
                               [](Number n, Many<Pair> kids) { return sum_rows(kids[&Pair::a] * kids[&Pair::b]) * n; });
  Graph g = engine.graph();
  const Expr two = row(g, 2), three = row(g, 3);
  const std::vector<Pair> kids{{two, two}, {two, three}};
  EXPECT_ERROR(ShapeError, "pool: row 1 of argument 1.1 is [3]; it must be [2] (@)", pool(g, 1.f, kids));
  const Many<Pair> recorded = group(g, kids);
  EXPECT_ERROR(ShapeError, "pool: row 1 of argument 1.1 is [3]; it must be [2] (@)", pool(1.f, recorded));
  EXPECT_EQ(g.calls(), 2u);
}

TEST_F(Shapes, inside_a_cell_inside_a_cell) {
  const auto inner = scope.cell("inner", {{3}}, [](Expr x) { return tanh(x); });
  const char* text = "inner: argument 0 is [4]; it must be [3] (@)";
  EXPECT_ERROR(ShapeError, text, scope.cell("outer", {{4}}, [&](Expr x) { return inner(x); }));
}

// ---- losses, values and parameters
TEST_F(Shapes, of_losses_and_values) {
  Graph g = engine.graph();
  const Expr x = row(g, 3);
  EXPECT_ERROR(ShapeError, "backward: a loss is [3]; it must be a scalar: sum_elements(loss)", engine.backward(x));
  EXPECT_ERROR(ShapeError, "value: it is [3]; value() gives one number, tensor() gives all", engine.value(x));
  EXPECT_ERROR(ShapeError, "item: the tensor is [3]; it must have one element", engine.tensor(x).item());
}

TEST_F(Shapes, of_values_that_are_stacked) {
  Graph g = engine.graph();
  const std::vector<Expr> differ{row(g, 2), row(g, 2), row(g, 3)}, scalar_first{sum_elements(differ[0]), differ[0]};
  EXPECT_ERROR(ShapeError, "stack: value 0 is [2], value 2 is [3]; the shapes must be equal", engine.stack(differ));
  EXPECT_ERROR(ShapeError, "stack: value 0 is [], value 1 is [2]; the shapes must be equal",
               engine.stack(scalar_first));
  EXPECT_EQ(engine.counters().rounds, 0u) << "the shapes are compared first";
  const Expr deep = full(g, {1, 1, 1, 1, 1, 2}, 1);
  EXPECT_ERROR(ShapeError,
               "stack: the values are [1,1,1,1,1,2]; they must have at most 5 axes, because the result has one more",
               engine.stack({&deep, 1}));
  EXPECT_ERROR(GraphError, "stack: an empty Expr is given; a value is needed", engine.stack(std::vector<Expr>(1)));

  const std::vector<int> sizes{2, 3};
  const auto batch = engine.record(sizes, [](Graph& graph, int n) { return row(graph, n); }, {.mode = Mode::infer});
  EXPECT_ERROR(ShapeError, "infer_stacked: value 0 is [2], value 1 is [3]; the shapes must be equal",
               engine.infer_stacked(batch));
  EXPECT_EQ(engine.infer(batch).size(), 2u) << "the graph is not closed";
}

TEST_F(Shapes, of_parameters) {
  Parameter W = scope.add("W", {3, 2});
  const Tensor turned{{2, 3}, std::vector<float>(6)};
  EXPECT_ERROR(ShapeError, "assign: W[3,2] is given a tensor [2,3]; the shapes must be equal", W.assign(turned));
  EXPECT_ERROR(ShapeError, "tensor: 5 values are given for [3,2]; it needs 6", Tensor({3, 2}, std::vector<float>(5)));
  EXPECT_ERROR(ShapeError, "V: 2 values are given for [3]; it needs 3", scope.add("V", {3}, init::from({1, 2})));
  EXPECT_ERROR(ShapeError, "Q: [3] cannot be orthogonal; a matrix is needed", scope.add("Q", {3}, init::orthogonal()));
  EXPECT_EQ(scope.add("V", {3}).name(), "V") << "a name is not taken by what failed";
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
