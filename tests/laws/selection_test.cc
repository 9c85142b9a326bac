// The public selection functions, with values computed by hand.
#include "laws/by_hand.h"

namespace espalier::law {
namespace ESPALIER_FILE {

class Selection : public ByHand {
 protected:
  Expr x = row({0, 1, 2, 3, 4, 5}, {2, 3});
};
ESPALIER_BY_HAND(Selection);

TEST_P(Selection, pick_along_an_axis) {
  expect(pick(x, 1), {3, 4, 5}, {x}, {{0, 0, 0, -0.75, 0.5, -1}});
  expect(pick(x, 2, 1), {2, 5}, {x}, {{0, 0, -0.75, 0, 0, 0.5}});
  expect(pick(x, 0, -1), {0, 3}, {x}, {{-0.75, 0, 0, 0.5, 0, 0}});
}

TEST_P(Selection, select) {
  expect(select(x, std::array{2, 0}, 1), {2, 0, 5, 3}, {x}, {{0.5, 0, -0.75, 0.25, 0, -1}});
  expect(select(x, std::array{1, 1, 0}), {3, 4, 5, 3, 4, 5, 0, 1, 2}, {x}, {{1.25, -0.25, 1, -0.5, -0.75, -1}});
  // Indices are data: calls with different indices run in one step.
  const std::array some{select(x, std::array{1, 0}), select(x, std::array{0, 0}), select(x, std::array{1, 1})};
  engine.reset_counters();
  (void)engine.tensors(some);
  EXPECT_EQ(engine.counters().steps, 1u);
  // In a cell, with an index argument and a constant index.
  const auto cell =
      scope.cell("rows", {{2, 3}, {}}, [](Expr m, Index i) { return select(m, std::array{Index(0), i}, 1); });
  EXPECT_EQ(engine.tensor(cell(x, 2)).to_vector(), (std::vector<float>{0, 2, 3, 5}));
}

TEST_P(Selection, of_more_than_a_call_takes) {
  std::vector<int> indices;
  std::vector<Expr> rows;
  std::vector<float> picked, stacked;
  for (int i = 0; i < 70; ++i) {
    indices.push_back(i % 2);
    for (int k = 0; k < 3; ++k) picked.push_back(static_cast<float>(i % 2 * 3 + k));
    rows.push_back(row({static_cast<float>(i), 1}));
    stacked.insert(stacked.end(), {static_cast<float>(i), 1});
  }
  EXPECT_EQ(engine.tensor(select(x, indices)).to_vector(), picked);
  EXPECT_EQ(engine.tensor(stack(rows)).to_vector(), stacked);
  EXPECT_EQ(str(stack(rows, -1).shape()), "[2,70]");
  const size_t calls = graph.calls();
  indices.back() = 2;
  EXPECT_THROW((void)select(x, indices), IndexError);
  rows.back() = x;
  EXPECT_THROW((void)stack(rows), ShapeError);
  EXPECT_THROW((void)select(x, std::span<const int>{}), ShapeError);
  EXPECT_EQ(graph.calls(), calls);
}

TEST_P(Selection, steps) {
  expect(strided_slice(x, 0, 3, 2, 1), {0, 2, 3, 5}, {x}, {{-0.75, 0, 0.5, -1, 0, 0.25}});
  expect(flip(x, 1), {2, 1, 0, 5, 4, 3}, {x}, {{-1, 0.5, -0.75, 0, -1.25, 0.25}});
  expect(flip(x), {3, 4, 5, 0, 1, 2}, {x}, {{0.25, -1.25, 0, -0.75, 0.5, -1}});
  EXPECT_EQ(engine.tensor(strided_slice(x, 2, 0, -1, -1)).to_vector(), (std::vector<float>{2, 1, 5, 4}));
}

TEST_P(Selection, permute_and_stack) {
  const Expr y = row({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 3, 2});
  EXPECT_EQ(engine.tensor(permute(y, {2, 0, 1})).to_vector(),
            (std::vector<float>{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(str(permute(y, {1, 2, 0}).shape()), "[3,2,2]");
  EXPECT_EQ(engine.tensor(permute(x, {1, 0})).to_vector(), engine.tensor(transpose(x)).to_vector());
  EXPECT_EQ(engine.tensor(stack(std::array{row({1, 2}), row({3, 4})}, 1)).to_vector(),
            (std::vector<float>{1, 3, 2, 4}));
}

TEST_P(Selection, kmax_pooling_keeps_the_order) {
  const Expr y = row({3, 1, 3, 5, 3, 2}), z = row({1, 9, 4, 4, 7, 0}, {3, 2});
  expect(kmax_pooling(y, 3), {3, 3, 5}, {y}, {{-0.75, 0, 0.5, -1, 0, 0}});
  expect(kmax_pooling(z, 2, 0), {4, 9, 7, 4}, {z}, {{0, 0.5, -0.75, 0.25, -1, 0}});
  EXPECT_EQ(engine.tensor(kmax_pooling(row({2, 2, 2}), 2)).to_vector(), (std::vector<float>{2, 2}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
