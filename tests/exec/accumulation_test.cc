// The accumulations of a plan, as executors read them.
#include "exec/accumulation.h"

#include <gtest/gtest.h>

namespace espalier {
namespace ESPALIER_FILE {

Accumulate product(uint64_t dy_size, int m, int n, uint64_t dy_stride, uint64_t x_stride) {
  Accumulate a;
  a.kind = Accumulation::Kind::product;
  a.dy_size = dy_size;
  a.m = m;
  a.n = n;
  a.dy.stride = dy_stride;
  a.x.stride = x_stride;
  return a;
}

TEST(VectorPairsOfRows, AreOneProductIfStridesAllowIt) {
  const VectorPairs vectors(product(4, 4, 3, 10, 0));
  EXPECT_EQ(vectors.per_row, 1);
  EXPECT_TRUE(vectors.uniform);
  EXPECT_EQ(vectors.dy_stride, 10);
  EXPECT_EQ(vectors.x_stride, 0);
  const VectorPairs matrices(product(8, 4, 3, 8, 6));
  EXPECT_EQ(matrices.per_row, 2);
  EXPECT_TRUE(matrices.uniform);
  EXPECT_EQ(matrices.dy_stride, 4);
  EXPECT_EQ(matrices.x_stride, 3);
  EXPECT_FALSE(VectorPairs(product(8, 4, 3, 8, 8)).uniform) << "x has gaps between rows";
  EXPECT_FALSE(VectorPairs(product(8, 4, 3, 10, 6)).uniform) << "dy has gaps between rows";
}

TEST(TableContributionsOfAPlan, AreSortedByRowAndThenInOrder) {
  const auto table = std::make_shared<ParameterStorage>(), other = std::make_shared<ParameterStorage>();
  const std::vector<int32_t> index{5, 1, 5};
  Accumulate indexed;
  indexed.kind = Accumulation::Kind::table;
  indexed.parameter = &table;
  indexed.rows = 3;
  indexed.dy = {100, 10};
  indexed.index = index.data();
  Accumulate literal = indexed;
  literal.rows = 1;
  literal.dy = {500, 10};
  literal.index = nullptr;
  literal.literal = 1;
  Accumulate elsewhere = literal;
  elsewhere.parameter = &other;
  Plan plan;
  plan.accumulations = {indexed, elsewhere, literal};

  TableContributions contributions;
  std::vector<std::pair<int32_t, std::vector<uint64_t>>> rows;
  TableContributions::each_row(contributions.of(plan, table.get()), [&](int32_t row, const auto& all) {
    rows.push_back({row, {}});
    for (const auto& c : all) rows.back().second.push_back(c.at);
  });
  EXPECT_EQ(rows, (std::vector<std::pair<int32_t, std::vector<uint64_t>>>{{1, {110, 500}}, {5, {100, 120}}}));
  EXPECT_EQ(contributions.of(literal).size(), 1u);
  EXPECT_TRUE(contributions.of(Plan(), table.get()).empty());
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
