// Inverse and determinant, compared with PyTorch's values in double.
#include <cmath>
#include <limits>

#include "laws/by_hand.h"

namespace espalier::law {
namespace ESPALIER_FILE {

class Algebra : public ByHand {
 protected:
  Expr x = row({2, 0.5f, -1, 0.25f, 0, 1.5f, 1, -0.75f, 0.5f}, {3, 3});
};
ESPALIER_BY_HAND(Algebra);

TEST_P(Algebra, inverse) {
  expect(inverse(x), {0.36, 0.16, 0.24, 0.44, 0.64, -1.04, -0.06, 0.64, -0.04}, {x},
         {{0.2422, -0.1062, 0.1963, -0.2768, 0.6928, 0.6328, 0.0148, -0.9908, -0.9558}});
  // The first pivot is 0.
  near(engine.tensor(inverse(row({0, 2, 4, 0}, {2, 2}))), {0, 0.25, 0.5, 0});
  for (float v : engine.tensor(inverse(row({1, 2, 2, 4}, {2, 2})))) EXPECT_TRUE(std::isnan(v));
  EXPECT_TRUE(engine.tensor(inverse(row({}, {0, 0}))).empty());
}

TEST_P(Algebra, logdet) {
  expect(logdet(x), {1.1394342831883648}, {x}, {{-0.27, -0.33, 0.045, -0.12, -0.48, -0.48, -0.18, 0.78, 0.03}});
  EXPECT_TRUE(std::isnan(engine.value(logdet(row({0, 1, 1, 0}, {2, 2}))))) << "a determinant of -1";
  EXPECT_EQ(engine.value(logdet(row({0, 1, -1, 0}, {2, 2}))), 0);
  EXPECT_EQ(engine.value(logdet(row({-1, 0, 0, -1}, {2, 2}))), 0);
  EXPECT_EQ(engine.value(logdet(row({1, 2, 2, 4}, {2, 2}))), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(engine.value(logdet(row({}, {0, 0}))), 0) << "of nothing the determinant is 1";
  // The product of the pivots must not overflow.
  std::vector<float> large(400);
  for (size_t i = 0; i < 20; ++i) large[i * 21] = 1e30f;
  near(engine.tensor(logdet(row(large, {20, 20}))), {20 * std::log(1e30)}, 1e-3);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
