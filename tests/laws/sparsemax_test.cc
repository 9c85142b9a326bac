// Variants of softmax, compared with values computed in double by sorting, by adding active bounds one at a time, and
// by finite differences.
#include <cmath>
#include <limits>

#include "laws/by_hand.h"

namespace espalier::law {
namespace ESPALIER_FILE {

constexpr float inf = std::numeric_limits<float>::infinity();

class Sparse : public ByHand {
 protected:
  Expr x = quarters({6}, 3, 0);
};
ESPALIER_BY_HAND(Sparse);

TEST_P(Sparse, sparsemax) {
  expect(sparsemax(x), {0, 0, 0.125, 0.875, 0, 0}, {x}, {{0, 0, -0.625, 0.625, 0, 0}});
  EXPECT_EQ(engine.tensor(sparsemax(row({1e4f, -1e4f, 1e4f}))).to_vector(), (std::vector<float>{0.5f, 0, 0.5f}));
  EXPECT_EQ(engine.tensor(sparsemax(row({-1e4f, 0.5f - 1e4f}))).to_vector(), (std::vector<float>{0.25f, 0.75f}));
  EXPECT_EQ(engine.tensor(sparsemax(row({0, 3, 0.5f, 3}, {2, 2}), 0)).to_vector(),
            (std::vector<float>{0.25f, 0.5f, 0.75f, 0.5f}));
}

TEST_P(Sparse, sparsemax_loss) {
  const Expr target = row({0.5f, 0, 0.25f, 0, 0.25f, 0});
  expect(sparsemax_loss(x, target), {1.515625}, {x, target},
         {{0.375, 0, 0.09375, -0.65625, 0.1875, 0}, {-1.3125, -0.375, 0, 0.75, -0.9375, -0.1875}});
  const Expr sure = row({5, 1, 2});
  EXPECT_EQ(engine.value(sparsemax_loss(sure, row({1, 0, 0}))), 0) << "a margin of 1 is enough";
}

TEST_P(Sparse, constrained_softmax) {
  const Expr u = row({0.3f, 0.15f, 0.25f, 0.2f, 0.4f, 0.25f});
  expect(constrained_softmax(x, u), {0.0799631, 0.15, 0.25, 0.2, 0.10267465, 0.21736224}, {x, u},
         {{-0.02232657, 0, 0, 0, -0.08000521, 0.10233178}, {0, 0.97078911, -0.52921089, 0.72078911, 0, 0}});
  // The free elements are tiny compared with the bounded one, and share the rest.
  const Expr far = row({1e4f, -1e4f, -1e4f});
  near(engine.tensor(constrained_softmax(far, row({0.5f, 1, 1}))), {0.5, 0.25, 0.25});
  near(engine.tensor(constrained_softmax(far, row({1, 1, 1}))), {1, 0, 0});
  near(engine.tensor(constrained_softmax(far, row({0.5f, 0, 1}))), {0.5, 0, 0.5});
  near(engine.tensor(constrained_softmax(far, row({0.25f, 0.25f, 0.25f}))), {0.25, 0.25, 0.25});
}

TEST_P(Sparse, masked_log_softmax) {
  const Expr z = row({1, 2, 3, 1e4f}), mask = row({1, 0, 1, 0});
  const double total = std::log(std::exp(1) + std::exp(3)), p0 = std::exp(1 - total), p2 = std::exp(3 - total);
  engine.watch(z);
  const Expr y = masked_log_softmax(z, mask);
  near(engine.tensor(y), {1 - total, -inf, 3 - total, -inf});
  near(engine.backward(pick(y, 0)).of(z), {1 - p0, 0, -p2, 0});
  // Masked elements have no gradient, whatever reads them.
  engine.watch(z);
  near(engine.backward(sum_elements(y)).of(z), {1 - 2 * p0, 0, 1 - 2 * p2, 0});
  // Everything is masked.
  engine.watch(z);
  const Expr none = masked_log_softmax(z, row({0, 0, 0, 0}));
  near(engine.tensor(none), {-inf, -inf, -inf, -inf});
  near(engine.backward(sum_elements(none)).of(z), {0, 0, 0, 0});
}

TEST_P(Sparse, log_softmax_over_a_support) {
  const Expr z = row({1, 2, 3, 1e4f});
  const std::array all{log_softmax(z, std::array{2, 0}), log_softmax(z, std::array{1})};
  engine.reset_counters();
  const auto values = engine.tensors(all);
  EXPECT_EQ(engine.counters().steps, 2u) << "inputs, and one step for both supports";
  const double total = std::log(std::exp(1) + std::exp(3));
  near(values[0], {1 - total, -inf, 3 - total, -inf});
  near(values[1], {-inf, 0, -inf, -inf});
  const size_t calls = graph.calls();
  EXPECT_THROW((void)log_softmax(z, std::array{4}), IndexError);
  EXPECT_THROW((void)log_softmax(row({1, 2}, {1, 2}), std::array{0}), ShapeError);
  EXPECT_EQ(graph.calls(), calls + 1) << "the row alone";
  EXPECT_THROW((void)scope.cell("inside", {{3}}, [](Expr v) { return log_softmax(v, std::array{0}); }), GraphError);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
