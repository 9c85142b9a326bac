#include <espalier/tensor/shape.h>

#include <vector>

#include <gtest/gtest.h>

#include <espalier/base/error.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

TEST(Shape, IsARangeOfItsSizes) {
  std::vector<int> sizes;
  for (const int n : Shape{3, 1, 2}) sizes.push_back(n);
  EXPECT_EQ(sizes, (std::vector<int>{3, 1, 2}));
  const Shape scalar, matrix{4, 5};
  EXPECT_EQ(scalar.begin(), scalar.end());
  EXPECT_EQ(std::vector<int>(matrix.begin(), matrix.end()), (std::vector<int>{4, 5}));
}

TEST(Shape, CountsItsElementsIn64Bits) {
  EXPECT_EQ((Shape{65536, 65536}.size()), int64_t{1} << 32);
  EXPECT_EQ((Shape{1 << 30, 1 << 29}.size()), int64_t{1} << 59);
  EXPECT_EQ((Shape{1 << 30, 0, 1 << 29}.size()), 0);
}

TEST(Shape, ThatCannotBeCountedIsRefused) {
  EXPECT_EQ(error_of([] { Shape{65536, 65536, 65536, 65536}; }),
            "shape: [65536,65536,65536,65536] has too many elements; at most 2^59 can be counted");
  EXPECT_THROW((Shape{1 << 30, 1 << 30}), ShapeError);
  EXPECT_THROW((Shape{0, 1 << 30, 1 << 30}), ShapeError) << "its other sizes are multiplied, too";
  const int size = 2;
  EXPECT_EQ(error_of([&] { Shape::of(&size, -1); }), "shape: -1 axes are given; a rank is at least 0");
  Shape written;
  written.rank = 6;
  written.dims.fill(1 << 30);
  EXPECT_THROW(written.size(), ShapeError);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
