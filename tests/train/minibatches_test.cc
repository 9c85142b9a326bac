// minibatches and Mean.
#include <espalier/train/minibatches.h>

#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/train/mean.h>

namespace espalier::train {
namespace ESPALIER_FILE {

std::vector<uint64_t> flat(const std::vector<Minibatch>& batches) {
  std::vector<uint64_t> ids;
  for (const auto& batch : batches) ids.insert(ids.end(), batch.ids.begin(), batch.ids.end());
  return ids;
}

TEST(Minibatches, HoldEveryExampleOnce) {
  const auto batches = minibatches(1000, 64, 7, 3);
  ASSERT_EQ(batches.size(), 16u);
  for (size_t i = 0; i < 15; ++i) EXPECT_EQ(batches[i].ids.size(), 64u);
  EXPECT_EQ(batches[15].ids.size(), 40u);
  for (const auto& batch : batches) EXPECT_EQ(batch.epoch, 3u);
  const auto ids = flat(batches);
  const std::set<uint64_t> all(ids.begin(), ids.end());
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_EQ(*all.rbegin(), 999u);
}

TEST(Minibatches, FollowFromSeedAndEpochAlone) {
  const auto ids = flat(minibatches(100, 10, 7, 0));
  EXPECT_EQ(ids, flat(minibatches(100, 10, 7, 0)));
  EXPECT_EQ(ids, flat(minibatches(100, 32, 7, 0)));  // the batch size does not change the order
  EXPECT_NE(ids, flat(minibatches(100, 10, 7, 1)));
  EXPECT_NE(ids, flat(minibatches(100, 10, 8, 0)));
  EXPECT_EQ(flat(minibatches(10, 4, 1, 0)),
            (std::vector<uint64_t>{0, 9, 5, 1, 2, 3, 8, 7, 6, 4}));  // the same on every platform
}

TEST(Minibatches, EveryPlaceIsEquallyLikely) {
  std::vector<std::vector<int>> count(5, std::vector<int>(5));  // [id][position]
  for (uint64_t epoch = 0; epoch < 10'000; ++epoch) {
    const auto ids = flat(minibatches(5, 5, 11, epoch));
    for (size_t place = 0; place < 5; ++place) ++count[ids[place]][place];
  }
  for (const auto& row : count) {
    for (const int n : row) EXPECT_NEAR(n, 2000, 200);  // 5 standard deviations
  }
}

TEST(Minibatches, OfFewExamples) {
  EXPECT_TRUE(minibatches(0, 64, 1, 0).empty());
  const auto one = minibatches(1, 64, 1, 0);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].ids, (std::vector<uint64_t>{0}));
  EXPECT_EQ(minibatches(128, 64, 1, 0).size(), 2u);
  EXPECT_EQ(minibatches(3, SIZE_MAX, 1, 0).size(), 1u);
}

TEST(Minibatches, ABatchOfNoneIsAnError) {
  try {
    minibatches(1000, 0, 7, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "minibatches: batch = 0 for 1000 examples; it must be at least 1");
  }
}

TEST(Mean, WeighsItsValues) {
  Mean mean;
  EXPECT_TRUE(std::isnan(mean.get()));
  mean.add(1);
  mean.add(4, 2);
  EXPECT_DOUBLE_EQ(mean.get(), 3);
  EXPECT_DOUBLE_EQ(mean.weight(), 3);
  mean.clear();
  EXPECT_TRUE(std::isnan(mean.get()));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::train
