// Functions of initializer lists, and reshape with a size of -1.
#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using Floats = std::vector<float>;

struct Lists : testing::Test {
  Engine engine;
  Graph g = engine.graph();
  Parameters params;
  Parameter W = Scope(params).add("W", {2}, init::from({5, 6}));
  Expr a = input(g, Floats{1, 2}, {2}), b = input(g, Floats{3, 4}, {2});

  Floats data(Expr x) { return engine.tensor(x).to_vector(); }
};

TEST_F(Lists, OfRowsThatAreWrittenDown) {
  EXPECT_EQ(data(concat({a, b, a})), (Floats{1, 2, 3, 4, 1, 2}));
  EXPECT_EQ(data(concat({a})), (Floats{1, 2}));
  EXPECT_EQ(data(stack({a, b})), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(data(stack({a, b}, -1)), (Floats{1, 3, 2, 4}));
  EXPECT_EQ(stack({a, b}, 1).shape(), (Shape{2, 2}));
  EXPECT_EQ(data(concat({stack({a, b}), stack({b, a})}, 1)), (Floats{1, 2, 3, 4, 3, 4, 1, 2}));
  EXPECT_EQ(data(sum({a, b})), (Floats{4, 6}));
  EXPECT_EQ(data(mean({a, b})), (Floats{2, 3}));
  EXPECT_EQ(data(max({a, b})), (Floats{3, 4}));
  EXPECT_EQ(data(min({a, b, a})), (Floats{1, 2}));
  EXPECT_EQ(logsumexp({a, b}).shape(), (Shape{2}));
  EXPECT_EQ(data(sum({a, b})), data(sum(std::vector{a, b}))) << "one call, as of a vector";
  EXPECT_EQ(error_without_line([&] { concat({}); }),
            "concat: nothing is given; at least one row is needed (lists_test.cc)");
}

TEST_F(Lists, MayHoldParametersAndNumbers) {
  EXPECT_EQ(data(concat({a, W})), (Floats{1, 2, 5, 6}));
  EXPECT_EQ(data(concat({W, a, W, 7}, -1)), (Floats{5, 6, 1, 2, 5, 6, 7}));
  EXPECT_EQ(data(stack({W, a}, -1)), (Floats{5, 1, 6, 2}));
  EXPECT_EQ(data(sum({W, a, 10})), (Floats{16, 18}));
  EXPECT_EQ(engine.backward(sum_elements(sum({a, W, W}))).of(W).to_vector(), (Floats{2, 2}));
}

TEST_F(Lists, InsideACell) {
  const auto cell = Scope(params).cell("all", {{2}, {2}}, [&](Expr x, Expr y) {
    return sum_elements(concat({x, W, y})) + sum_elements(stack({x, W})) + sum_elements(sum({x, y})) +
           sum_elements(max({x, y}));
  });
  EXPECT_EQ(engine.value(cell(a, b)), 21 + 14 + 10 + 7);
}

TEST_F(Lists, OneSizeMayBeLeftOpen) {
  const Expr x = concat({a, b, a});
  EXPECT_EQ(reshape(x, {-1, 3}).shape(), (Shape{2, 3}));
  EXPECT_EQ(reshape(x, {3, -1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(reshape(reshape(x, {1, 2, 3}), {-1}).shape(), (Shape{6}));
  EXPECT_EQ(reshape(x, {2, 3}).shape(), (Shape{2, 3}));
  EXPECT_EQ(reshape(sum_elements(x), {}).shape(), Shape{});
  EXPECT_EQ(data(reshape(x, {-1, 2})), (Floats{1, 2, 3, 4, 1, 2}));
  EXPECT_EQ(error_without_line([&] { reshape(x, {-1, 4}); }),
            "reshape: x[6] to [-1,4]; the other sizes must divide its 6 elements (lists_test.cc)");
  EXPECT_EQ(error_without_line([&] { reshape(x, {-1, -1}); }),
            "reshape: x[6] to [-1,-1]; at most one size may be -1 (lists_test.cc)");
  EXPECT_EQ(error_without_line([&] { reshape(x, {-1, 0}); }),
            "reshape: x[6] to [-1,0]; the other sizes must divide its 6 elements (lists_test.cc)");
  EXPECT_THROW(reshape(x, {-2, 3}), ShapeError);
  EXPECT_THROW(reshape(x, {2, 4}), ShapeError);
}

TEST_F(Lists, LayerNormIsAlongTheLastAxisOfAnyShape) {
  const nn::LayerNorm norm(params / "norm", 2);
  const Expr rows = stack({a, b * b, a + b});
  const Floats each = data(concat({norm(a), norm(b * b), norm(a + b)}));
  EXPECT_EQ(norm(rows).shape(), (Shape{3, 2}));
  EXPECT_EQ(data(norm(rows)), each);
  EXPECT_EQ(data(norm(reshape(rows, {1, 3, 2}))), each);
  const auto cell = Scope(params).cell("inside", {{3, 2}}, [&](Expr x) { return norm(x); });
  EXPECT_EQ(data(cell(rows)), each);
  EXPECT_EQ(engine.backward(sum_elements(norm(rows))).of(norm.bias).to_vector(), (Floats{3, 3}));
  EXPECT_EQ(
      error_without_line([&] { norm(transpose(rows)); }),
      "layer_norm: a weight or bias[2] does not apply to x[2,3]; it must be [3], the last size of x (lists_test.cc)");
  EXPECT_THROW(norm(sum_elements(a)), ShapeError);
  EXPECT_THROW(norm(concat({a, b})), ShapeError);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
