// Finds the epilogues of products in compiled cells.
#include "exec/gpu/epilogue.h"

#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "cell/program.h"
#include "graph/tape.h"

namespace espalier {
namespace ESPALIER_FILE {

class Epilogues : public ::testing::Test {
 protected:
  Parameters params{1};
  Scope scope{params};
  Parameter weight = scope.add("weight", {6, 4}), bias = scope.add("bias", {6}), scalar = scope.add("scalar", {});
  Parameter square = scope.add("square", {6, 6});

  // The epilogue after each forward op of a cell of x[4] and y[6]: "bias", or "-" for none.
  std::string found(const std::function<Expr(Expr, Expr)>& f) {
    const Cell<Expr(Expr, Expr)> cell = scope.cell("cell" + std::to_string(cells_++), {{4}, {6}}, f);
    Engine engine;
    Graph g = engine.graph();
    cell(zeros(g, {4}), zeros(g, {6}));
    const Program& program = g.tape().program(g.tape().calls() - 1);
    const std::vector<Kernel>& all = program.code.forward;
    std::string s;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind != Kernel::Kind::op) continue;
      const auto e = i + 1 < all.size() ? epilogue_of(program.code, all[i], all[i + 1]) : std::nullopt;
      s += e ? "bias" : "-";
    }
    return s;
  }

 private:
  int cells_ = 0;
};

TEST_F(Epilogues, OfABias) {
  EXPECT_EQ(found([&](Expr x, Expr) { return linear(x, weight, bias); }), "bias");
  EXPECT_EQ(found([&](Expr x, Expr) { return bias + linear(x, weight); }), "bias");
  EXPECT_EQ(found([&](Expr x, Expr) { return relu(linear(x, weight, bias)); }), "-");
  EXPECT_EQ(found([&](Expr x, Expr) { return linear(relu(linear(x, weight, bias)), square, bias); }), "-bias");
}

TEST_F(Epilogues, OfNothingElse) {
  EXPECT_EQ(found([&](Expr x, Expr) { return linear(x, weight); }), "-");
  EXPECT_EQ(found([&](Expr x, Expr) { return tanh(linear(x, weight, bias)); }), "-");
  EXPECT_EQ(found([&](Expr x, Expr y) { return linear(x, weight) + y; }), "-");
  EXPECT_EQ(found([&](Expr x, Expr) { return linear(x, weight) + scalar; }), "-");
  EXPECT_EQ(found([&](Expr x, Expr) { return linear(x, weight) - bias; }), "-");
  EXPECT_EQ(found([&](Expr x, Expr) { return linear(x, weight, bias) * bias; }), "-");
  EXPECT_EQ(found([&](Expr x, Expr) { return max(linear(x, weight, bias), 0.5f); }), "-");
  EXPECT_EQ(found([&](Expr x, Expr) { return relu(linear(x, weight)); }), "-");
}

// The product, or its sum with the bias, has another reader, or the sum has further terms.
TEST_F(Epilogues, OfNoProductThatIsReadElsewhere) {
  EXPECT_EQ(found([&](Expr x, Expr) {
              const Expr y = linear(x, weight);
              return linear(relu(y + bias), square) * y;
            }),
            "--");
  EXPECT_EQ(found([&](Expr x, Expr) {
              const Expr y = linear(x, weight, bias);
              return relu(y) * y;
            }),
            "-");
  EXPECT_EQ(found([&](Expr x, Expr y) { return relu(linear(x, weight) + linear(y, square) + bias); }), "--");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
