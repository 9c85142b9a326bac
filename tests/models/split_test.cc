// Divisions of the examples of one file into train, dev and test.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "support/error_of.h"
#include "tasks/examples/split.h"

namespace espalier {
namespace ESPALIER_FILE {

using app::Folds, app::group_split, app::random_split, app::Split;

// Every example is in exactly one part.
void expect_division(const Split& split, size_t n) {
  std::vector<uint64_t> all = split.train;
  all.insert(all.end(), split.dev.begin(), split.dev.end());
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), n);
  for (size_t i = 0; i < n; ++i) EXPECT_EQ(all[i], i);
}

TEST(RandomSplit, HasTenthsForDevAndTest) {
  for (const size_t n : {0, 1, 5, 10, 99, 1128}) {
    const Split split = random_split(n, 1);
    expect_division(split, n);
    EXPECT_EQ(split.train.size(), n * 8 / 10) << n;
    EXPECT_EQ(split.train.size() + split.dev.size(), n * 9 / 10) << n;
  }
}

TEST(RandomSplit, DependsOnTheSeedOnly) {
  EXPECT_EQ(random_split(100, 1).dev, random_split(100, 1).dev);
  EXPECT_NE(random_split(100, 1).dev, random_split(100, 2).dev);
}

TEST(RandomSplit, FoldsShareTheirTestPartAndDivideTheRest) {
  std::set<uint64_t> in_dev;
  size_t dev = 0;
  for (int fold = 1; fold <= 4; ++fold) {
    const Split split = random_split(101, 3, Folds{.count = 4, .chosen = fold});
    expect_division(split, 101);
    EXPECT_EQ(split.test, random_split(101, 3).test);
    in_dev.insert(split.dev.begin(), split.dev.end());
    dev += split.dev.size();
  }
  EXPECT_EQ(dev, 90u);
  EXPECT_EQ(in_dev.size(), 90u) << "every example outside of test is in dev once";
  EXPECT_EQ(test::error_of([] { random_split(10, 1, Folds{.count = 4, .chosen = 5}); }),
            "--fold 5 of 4 folds; must be 0 to 4");
}

std::vector<std::string> some_groups() {
  std::vector<std::string> groups;
  for (int i = 0; i < 200; ++i) groups.push_back(i < 90 ? "large" : i < 130 ? "middle" : "g" + std::to_string(i / 3));
  return groups;
}

TEST(GroupSplit, KeepsGroupsTogetherAndTestsTheSmallest) {
  const auto groups = some_groups();
  for (int count : {1, 3})
    for (int fold = 1; fold <= count; ++fold) {
      const Split split = group_split(groups, Folds{.count = count, .chosen = fold});
      expect_division(split, groups.size());
      std::set<std::string> seen;
      for (const auto* part : {&split.train, &split.dev, &split.test}) {
        std::set<std::string> here;
        for (const uint64_t i : *part) here.insert(groups[i]);
        for (const std::string& group : here) EXPECT_TRUE(seen.insert(group).second) << group << " is in two parts";
      }
    }
  const Split split = group_split(groups);
  EXPECT_EQ(split.train.size(), 160u);
  EXPECT_EQ(split.dev.size(), 20u);
  EXPECT_NE(std::ranges::find(split.train, 0u), split.train.end()) << "the largest group";
  const std::vector<std::string> singles{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  EXPECT_EQ(group_split(singles).test, std::vector<uint64_t>{0}) << "the first of equal groups";
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
