// Convolution and pooling, compared with PyTorch's values in double.
#include "laws/by_hand.h"

namespace espalier::law {
namespace ESPALIER_FILE {

class Window : public ByHand {};
ESPALIER_BY_HAND(Window);

const std::vector<double> conv1d_y{0.6875, 1.8125, 0.3125, -1.375, -0.4375, 1.1875, -0.1875, -1.0625},
    conv1d_dx{-0.5, 0.125, 1.625, -0.875, 1.6875, 0.1875, 1.4375, 0.625, -1.0625, -0.625, -0.8125, 0.1875},
    conv1d_dW{-1.125, -1.3125, 2.0625, 1.1875, 0.3125, -1.5, 0.5625, 1.3125, 0.3125, -1.125, 0.3125, 0.3125},
    conv1d_db{-1, -0.25};

TEST_P(Window, conv1d) {
  const Expr x = quarters({2, 6}, 3, 0), W = quarters({2, 2, 3}, 5, 1), b = quarters({2}, 7, 2);
  expect(conv1d(x, W, b, 2, 2), conv1d_y, {x, W, b}, {conv1d_dx, conv1d_dW, conv1d_db});
}

TEST_P(Window, conv1d_of_parameters) {
  const Parameter W = scope.add("W", {2, 2, 3}, init::from(some_quarters(12, 5, 1))),
                  b = scope.add("b", {2}, init::from(some_quarters(2, 7, 2)));
  const Expr x = quarters({2, 6}, 3, 0), y = conv1d(x, W, b, 2, 2);
  expect(y, conv1d_y, {x}, {conv1d_dx});
  const Gradients g = engine.backward(sum_elements(y * quarters(y.shape(), 5, 2)));
  near(g.of(W), conv1d_dW);
  near(g.of(b), conv1d_db);
  // In a cell, without a bias; narrow and wide.
  const auto narrow = scope.cell("narrow", {{2, 6}}, [&](Expr in) { return conv1d(in, W); });
  EXPECT_EQ(str(narrow(x).shape()), "[2,4]");
  EXPECT_EQ(str(conv1d(x, W, {}, 1, 2).shape()), "[2,8]");
}

TEST_P(Window, conv2d) {
  const Expr x = quarters({2, 4, 3}, 3, 0), W = quarters({2, 2, 3, 2}, 5, 1), b = quarters({2}, 7, 2);
  expect(conv2d(x, W, b, {2, 1}, {1, 2}),
         {-0.75, 0.375,   1.5,    -2.5, -0.375,  -0.75, -0.75, -1.6875, -0.5625, -1.3125, -0.875, -0.75,
          1,     -0.0625, 0.5625, 2,    -0.1875, 1,     1,     0.4375,  2.75,    0.875,   1.5,    1},
         {x, W, b},
         {{0,       0, 0,     -4.875, 2.6875, -4.875, 0,      0,       0,     2.4375, -1.5625, 2,
           -1.8125, 2, -1.75, 0.625,  0.6875, 0.75,   1.8125, -1.9375, 1.875, 1.5,    -2.125,  1.8125},
          {1.3125,  -1.125, 0.125,  1.4375, -2.25, 2.8125, -0.5,    -0.25, 0.9375, -1.3125, 1.3125, -1.3125,
           -1.0625, 1.3125, 1.5625, 0.125,  3,     -2.25,  -0.0625, -0.5,  -1.625, 0.9375,  -0.875, 1.3125},
          {-0.75, 0.5}});
}

// Of tied elements, the first gets the gradient.
TEST_P(Window, max_pool) {
  const Expr x = quarters({2, 4, 3}, 3, 0), z = quarters({2, 7}, 3, 0);
  expect(max_pool2d(x, {3, 2}, Size2d(2, 1), 1),
         {1, 1, 0.25, 0.25, 1, 1.25, 1.25, -0.25, -0.5, 0.25, 1, 1, 1.25, 1.25, 0.5, 0.5}, {x},
         {{0, 0, -0.75, -1.5, 0, -0.25, 0, 1.25, 0, 0, 0, 0, 1, -0.5, 0, 0, 0, -1, -0.5, 0, 0, 0, 0, 0}});
  expect(max_pool1d(z, 3), {0.25, 1, 1.25, 0.75}, {z}, {{0, 0, -0.75, 0.5, 0, 0, 0, -1, 0, 0, 0.25, 0, 0, 0}});
  const Expr same = row({2, 2, 2, 2}, {1, 4});
  expect(max_pool1d(same, 2), {2, 2}, {same}, {{-0.75, 0, 0.5, 0}});
}

TEST_P(Window, avg_pool) {
  const Expr x = quarters({2, 3, 4}, 3, 0);
  constexpr double t = 1.0 / 24;
  expect(avg_pool2d(x, {2, 3}, Size2d(1, 2), 1),
         {-7 * t, 3 * t, -12 * t, 9 * t, -8 * t, 4 * t, -3 * t, -2 * t, -t, t, 0, 5 * t, 4 * t, 0, 3 * t, -4 * t}, {x},
         {{-7 * t, -4 * t, 3 * t,  3 * t,  -9 * t, -8 * t, t,      t,      0,     -t,     -t,     -t,
           7 * t,  2 * t,  -5 * t, -5 * t, 5 * t,  -2 * t, -7 * t, -7 * t, 3 * t, -6 * t, -9 * t, -9 * t}});
}

TEST_P(Window, refuses_what_is_negative_and_records_nothing) {
  const Expr x = quarters({2, 6}, 3, 0), W = quarters({2, 2, 3}, 5, 1);
  const size_t calls = graph.calls();
  auto message = [&](auto&& f) -> std::string {
    try {
      f();
    } catch (const ShapeError& e) {
      return std::string(e.what()).substr(0, std::string_view(e.what()).find(" (window_test"));
    }
    return "taken";
  };
  EXPECT_EQ(message([&] { (void)conv1d(x, W, {}, 1, -1); }),
            "conv1d: -1 is given; kernel, stride and padding must not be negative");
  EXPECT_EQ(message([&] { (void)max_pool2d(x, {2, -2}); }),
            "max_pool2d: 2 and -2 are given; kernel, stride and padding must not be negative");
  EXPECT_EQ(message([&] { (void)conv1d(x, W, {}, 0); }),
            "conv1d: kernel [3], stride [0], padding [0] over x[2,6]; kernel and stride must be at least 1");
  EXPECT_EQ(graph.calls(), calls);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
