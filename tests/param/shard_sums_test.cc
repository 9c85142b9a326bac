// The sum of many shards has the bits of adding one shard after the other.
#include "param/shard_sums.h"

#include <random>

#include <gtest/gtest.h>
#include <espalier/param/parameters.h>

#include "base/workers.h"

namespace espalier {
namespace ESPALIER_FILE {

using detail::GradientEntry;
using detail::GradientState;
using detail::ShardSums;

// A matrix, a table with rows of three elements, and one whose gradient is dense in some shards.
struct Model {
  Parameters params;
  Parameter weight = Scope(params).add("weight", {70, 130});
  Lookup words = Scope(params).add_lookup("words", 3000, {3}), tags = Scope(params).add_lookup("tags", 200, {});

  static void fill(std::mt19937& random, GradientEntry& entry, size_t n) {
    std::uniform_real_distribution<float> u(-1, 1);
    auto& values = entry.values.host_to_write();
    values.resize(n);
    for (float& v : values) v = u(random);
    entry.unset = false;
  }
  void add_rows(std::mt19937& random, GradientState& to, const Parameter& table, double share) const {
    GradientEntry& entry = to.entry(table.storage(), true);
    auto& rows = entry.rows.host_to_write();
    rows.clear();
    std::bernoulli_distribution chosen(share);
    for (int row = 0; row < table.shape()[0]; ++row)
      if (chosen(random)) rows.push_back(row);
    fill(random, entry, rows.size() * table.storage()->row_size());
  }
  // Shard 2 has no gradients, shard 3 no matrix.
  std::shared_ptr<GradientState> shard(unsigned number) const {
    auto state = std::make_shared<GradientState>();
    std::mt19937 random(number);
    if (number == 2) return state;
    if (number != 3) fill(random, state->entry(weight.storage(), false), weight.storage()->size());
    add_rows(random, *state, words, 0.3);
    if (number % 2 == 0)
      add_rows(random, *state, tags, 0.1);
    else
      fill(random, state->entry(tags.storage(), false), tags.storage()->size());
    return state;
  }
};

void expect_equal(const GradientState& got, const GradientState& expected) {
  ASSERT_EQ(got.used, expected.used);
  for (size_t i = 0; i < expected.used; ++i) {
    const GradientEntry& e = expected.entries[i];
    const GradientEntry* const g = got.find(e.parameter.get());
    ASSERT_NE(g, nullptr);
    EXPECT_EQ(g->sparse, e.sparse);
    EXPECT_EQ(g->rows.host(), e.rows.host());
    EXPECT_EQ(g->values.host(), e.values.host()) << e.parameter->name.text();
  }
}

class OfShards : public testing::TestWithParam<size_t> {};

TEST_P(OfShards, HaveTheBitsOfAddingInOrder) {
  const Model model;
  const auto workers = GetParam() > 0 ? std::make_shared<Workers>(GetParam()) : nullptr;
  std::shared_ptr<GradientState> to;
  ShardSums sums;
  for (unsigned first = 0; first < 5; ++first) {
    std::vector<std::shared_ptr<GradientState>> more;
    for (unsigned i = 1; i < 7; ++i) more.push_back(model.shard((first + i) % 7));
    const auto expected = model.shard(first);
    for (const auto& shard : more) add(*expected, *shard);
    if (first % 2 == 0) {
      to = model.shard(first);
    } else {  // a state that has been used
      to->reset();
      add(*to, *model.shard(first));
    }
    to->workers = workers;
    sums.add(*to, more);
    SCOPED_TRACE(first);
    expect_equal(*to, *expected);
  }
}
INSTANTIATE_TEST_SUITE_P(Threads, OfShards, testing::Values(0, 1, 4));

TEST(ShardSums, OfNothingAreNothing) {
  const Model model;
  ShardSums sums;
  GradientState none;
  sums.add(none, {});
  EXPECT_EQ(none.used, 0u);
  const auto one = model.shard(0);
  sums.add(*one, {});
  expect_equal(*one, *model.shard(0));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
