// Integers out of range are rejected when recorded.
#include "errors/error_test.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using Indices = Errors;

TEST_F(Indices, of_tables) {
  Graph g = engine.graph();
  const nn::Embedding words(scope / "words", 100, 16);
  const char* text = "lookup in words.weight[100,16]: index 1000 is out of range; it must be 0…99 (@)";
  EXPECT_ERROR(IndexError, text, words(g, 1000));
  EXPECT_ERROR(IndexError, text, lookup(g, words.weight, 1000));
  text = "lookup in words.weight[100,16]: index -1 is out of range; it must be 0…99 (@)";
  EXPECT_ERROR(IndexError, text, words(g, -1));
  EXPECT_EQ(g.calls(), 0u);
}

TEST_F(Indices, of_labels_and_positions) {
  Graph g = engine.graph();
  const Expr x = row(g, 5);
  EXPECT_ERROR(IndexError, "cross_entropy in [5]: target 7 is out of range; it must be 0…4 (@)", cross_entropy(x, 7));
  EXPECT_ERROR(IndexError, "pick in [5]: index 5 is out of range; it must be 0…4 (@)", pick(x, 5));
  EXPECT_ERROR(IndexError, "one_hot: index 3 is out of range; it must be 0…2 (@)", one_hot(g, 3, 3));
  EXPECT_EQ(g.calls(), 1u);
}

// An integer that a cell uses twice must satisfy the smaller limit.
TEST_F(Indices, of_a_cell) {
  Graph g = engine.graph();
  const Lookup table = scope.add_lookup("table", 4, {3});
  const auto cell =
      scope.cell("c", {{6}, {}}, [&](Expr x, Index i) { return pick(x, i) + sum_elements(lookup(table, i)); });
  EXPECT_ERROR(IndexError, "lookup in table[4,3]: index 5 is out of range; it must be 0…3 (@)", cell(row(g, 6), 5));
}

// Integers of any width are checked before they are narrowed to 32 bits.
TEST_F(Indices, of_more_than_32_bits) {
  Graph g = engine.graph();
  const nn::Embedding words(scope / "words", 100, 16);
  const Expr x = row(g, 5);
  const int64_t wide = (int64_t{1} << 32) + 1;
  EXPECT_ERROR(IndexError, "cross_entropy in [5]: target 4294967297 is out of range; it must be 0…4 (@)",
               cross_entropy(x, wide));
  EXPECT_ERROR(IndexError, "cross_entropy in [5]: target 4294967297 is out of range; it must be 0…4 (@)",
               cross_entropy(x, static_cast<size_t>(wide)));
  EXPECT_ERROR(IndexError, "cross_entropy in [5]: target -4294967295 is out of range; it must be 0…4 (@)",
               cross_entropy(x, wide - (int64_t{1} << 33)));
  EXPECT_ERROR(IndexError, "cross_entropy in [5]: target 9223372036854775807 is out of range; it must be 0…4 (@)",
               cross_entropy(x, ~size_t{0}));
  EXPECT_ERROR(IndexError, "lookup in words.weight[100,16]: index 4294967297 is out of range; it must be 0…99 (@)",
               words(g, wide));
  EXPECT_ERROR(IndexError, "one_hot: index 4294967297 is out of range; it must be 0…2 (@)", one_hot(g, 3, wide));
  EXPECT_ERROR(IndexError, "pick: index 4294967297 is out of range; it must fit an int (@)",
               scope.cell("c", {{5}}, [&](Expr y) { return pick(y, wide); }));
  EXPECT_ERROR(IndexError, "emit: label 4294967297 is out of range; it must fit an int", g.emit("m", x, wide));
  EXPECT_EQ(g.calls(), 1u);
  // Any integer type is accepted if its value is in range.
  enum Label { first, second };
  const uint8_t narrow = 1;
  for (Expr y : {pick(x, second), pick(x, narrow), pick(x, size_t{1}), pick(x, true), pick(x, int64_t{1})})
    EXPECT_EQ(engine.value(y), 1);
}

TEST_F(Indices, of_axes) {
  Graph g = engine.graph();
  const Expr x = ones(g, {3, 2});
  EXPECT_EQ(x.shape()[1], 2);
  EXPECT_ERROR(IndexError, "shape: axis -1 of [3,2] is out of range; it must be 0…1", x.shape()[-1]);
  EXPECT_ERROR(IndexError, "shape: axis 2 of [3,2] is out of range; it must be 0…1", x.shape()[2]);
  EXPECT_ERROR(IndexError, "shape: axis 0 of [] does not exist; a scalar has no axes", sum_elements(x).shape()[0]);
}

TEST_F(Indices, the_largest_of_nothing) {
  Graph g = engine.graph();
  const auto pool = scope.cell("pool", {{4}}, [](Many<Expr> xs) { return max_rows(xs); });
  const std::vector<Expr> none;
  const char* text = "pool: a list of rows is empty; max, min and logsumexp need at least one row (@)";
  EXPECT_ERROR(IndexError, text, pool(g, none));
  const auto outer = scope.cell("outer", {{4}}, [&](Many<Expr> xs) { return tanh(pool(xs)); });
  text = "outer: a list of rows is empty; max, min and logsumexp need at least one row (@)";
  EXPECT_ERROR(IndexError, text, outer(g, none));
  const Many<Expr> empty = group(g, none);
  EXPECT_ERROR(IndexError, text, outer(g, empty));
  // The sum and the mean of an empty list are zero.
  const auto sums = scope.cell("sums", {{2}}, [](Many<Expr> xs) { return concat(sum_rows(xs), mean_rows(xs)); });
  EXPECT_EQ(engine.tensor(sums(g, none)).to_vector(), (std::vector<float>{0, 0, 0, 0}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
