// A printed and parsed program is the same program and computes the same values.
#include <cmath>
#include <limits>
#include <gtest/gtest.h>

#include <espalier/expr/cell.h>
#include "cell/passes.h"
#include "law/op/laws.h"

namespace espalier::law {
namespace ESPALIER_FILE {

TEST(PrintProgram, names_may_hold_spaces) {
  Parameters params;
  const Parameter W = Scope(params).add("my weights", {2, 3});
  const auto cell =
      (Scope(params) / "my cell").cell("of two groups ", {{3}, {3}}, [&](Expr x, Many<Expr> more) -> Expr {
        return linear(x + sum_rows(more), W);
      });
  Program again = parse_program(print(*cell.program()), {W.storage()});
  compile(again);
  EXPECT_EQ(again.name, "my cell.of two groups ");
  EXPECT_EQ(again.rows[1].name, "argument 1");
  EXPECT_EQ(key_of(again), key_of(*cell.program()));
}

// Constants are compared by their bits, in the key and within a cell.
TEST(PrintProgram, constants_that_compare_oddly) {
  Parameters params;
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  auto made = [&](float a, float b) {
    return Scope(params).cell("c", {{1}}, [=](Expr x) -> Expr { return concat(x * a, x * b); });
  };
  Engine engine;
  Graph g = engine.graph();
  const Expr one = input(g, std::vector<float>{1}, {1});
  const Tensor y = engine.tensor(made(nan, 1)(one)), z = engine.tensor(made(0.f, -0.f)(one));
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 1);
  EXPECT_FALSE(std::signbit(z[0]));
  EXPECT_TRUE(std::signbit(z[1]));
  for (float a : {nan, infinity, -infinity, -0.f, 0.1f, 1e-45f, 3.4028235e38f}) {
    const auto cell = made(a, 2);
    Program again = parse_program(print(*cell.program()), {});
    compile(again);
    EXPECT_EQ(key_of(again), key_of(*cell.program())) << a;
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
