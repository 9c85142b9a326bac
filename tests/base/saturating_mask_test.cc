#include <gtest/gtest.h>

#include <vector>

#include "base/saturating_mask.h"

namespace espalier {
namespace ESPALIER_FILE {

std::vector<size_t> indices(SaturatingMask m) {
  std::vector<size_t> found;
  m.each([&](size_t i) { found.push_back(i); });
  return found;
}

TEST(SaturatingMask, EveryIndexBelow63HasItsOwnBit) {
  for (size_t i = 0; i < SaturatingMask::shared; ++i) {
    const SaturatingMask m = SaturatingMask::of(i);
    for (size_t k = 0; k < 200; ++k) EXPECT_EQ(m.test(k), k == i) << i << " " << k;
    EXPECT_EQ(m.first(), i);
    EXPECT_EQ(indices(m), std::vector<size_t>{i});
  }
}

TEST(SaturatingMask, LaterIndicesShareTheLastBit) {
  for (const size_t i : {63, 64, 65, 1000}) {
    const SaturatingMask m = SaturatingMask::of(i);
    EXPECT_EQ(m, SaturatingMask::of(63));
    EXPECT_FALSE(m.test(62));
    for (const size_t k : {63, 64, 127, 128, 1000}) EXPECT_TRUE(m.test(k)) << i << " " << k;
    EXPECT_EQ(indices(m), std::vector<size_t>{63});
  }
}

TEST(SaturatingMask, IsEmptyUnlessSet) {
  SaturatingMask m;
  EXPECT_FALSE(m.any());
  EXPECT_EQ(m.first(), 64u);
  EXPECT_TRUE(indices(m).empty());
  for (const size_t i : {0, 62, 63, 99}) EXPECT_FALSE(m.test(i));
  m.set(5);
  m.set(70);
  EXPECT_TRUE(m.any());
  EXPECT_EQ(indices(m), (std::vector<size_t>{5, 63}));
}

TEST(SaturatingMask, AllHasEveryIndex) {
  for (const size_t i : {0, 1, 62, 63, 64, 5000}) EXPECT_TRUE(SaturatingMask::all().test(i));
  EXPECT_EQ(indices(SaturatingMask::all()).size(), 64u);
  EXPECT_FALSE((~SaturatingMask::all()).any());
}

TEST(SaturatingMask, HasTheOperatorsOfASet) {
  const SaturatingMask a = SaturatingMask::of(1) | SaturatingMask::of(80), b = SaturatingMask::of(2) | a;
  EXPECT_EQ(a & b, a);
  EXPECT_EQ(indices(b & ~a), std::vector<size_t>{2});
  EXPECT_TRUE(b.contains(a));
  EXPECT_FALSE(a.contains(b));
  EXPECT_TRUE(a.contains({}));
  SaturatingMask c;
  c |= b;
  EXPECT_EQ(c, b);
  EXPECT_FALSE((~b).test(64)) << "the complement, too, treats all later indices alike";
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
