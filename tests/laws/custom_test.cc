// A custom op obeys the laws, and a wrong one is detected.
#include <cmath>
#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include <espalier/expr/custom.h>
#include <espalier/law/check_op.h>
#include "law/devices.h"
#include "support/error_of.h"

namespace espalier {
namespace ESPALIER_FILE {

// y = limit · tanh(x / limit) + Σ w: two inputs, one of them a number or a row, and an attribute.
template <class Self>
struct SoftclipBase {
  static constexpr std::string_view text = "A bounded x, moved by the sum of w.", math = "y = l tanh(x / l) + Σ w";
  struct Attrs {
    float limit = 1;
  };
  static constexpr std::array<std::string_view, 1> attr_names{"limit"};
  static constexpr std::array<std::string_view, 2> inputs{"x", "w"};
  static Shape infer(const Attrs& a, std::span<const Shape> in) {
    if (!(a.limit > 0)) throw ShapeError("softclip: limit = " + std::to_string(a.limit) + "; it must be above 0");
    return in[0];
  }
  template <class T>
  static void forward(const Attrs& a, const CustomForward<T>& f) {
    const T limit = static_cast<T>(a.limit);
    for (int64_t row = 0; row < f.rows; ++row) {
      T sum = 0;
      for (int64_t e = 0; e < f.shapes[1].size(); ++e) sum += f.in[1][row][e];
      for (int64_t e = 0; e < f.shapes[0].size(); ++e) f.out[row][e] = limit * std::tanh(f.in[0][row][e] / limit) + sum;
    }
  }
  template <class T>
  static void backward(const Attrs& a, const CustomBackward<T>& b) {
    const T limit = static_cast<T>(a.limit);
    for (int64_t row = 0; row < b.rows; ++row) {
      T sum = 0;
      for (int64_t e = 0; e < b.shapes[0].size(); ++e) {
        const T t = std::tanh(b.in[0][row][e] / limit);
        b.din[0][row][e] = b.dy[row][e] * Self::slope(t);
        sum += b.dy[row][e];
      }
      for (int64_t e = 0; e < b.shapes[1].size(); ++e) b.din[1][row][e] = sum;
    }
  }
  static std::vector<CustomSample<Attrs>> samples() { return {{{1}, {{3}, {2}}}, {{2}, {{2, 2}, {}}}}; }
};
struct Softclip : SoftclipBase<Softclip> {
  static constexpr std::string_view name = "test.softclip";
  template <class T>
  static T slope(T t) {
    return 1 - t * t;
  }
};
struct WrongSlope : SoftclipBase<WrongSlope> {
  static constexpr std::string_view name = "test.wrong_slope";
  template <class T>
  static T slope(T t) {
    return 1 - t;
  }
};
// Wrong: the result depends on the number of rows in the batch.
struct Leaky : SoftclipBase<Leaky> {
  static constexpr std::string_view name = "test.leaky";
  template <class T>
  static T slope(T t) {
    return 1 - t * t;
  }
  template <class T>
  static void forward(const Attrs& a, const CustomForward<T>& f) {
    SoftclipBase::forward(a, f);
    if (f.rows > 1) f.out[0][0] += 1;
  }
};
// 2 x without a gradient.
struct Silent {
  static constexpr std::string_view name = "test.silent", text = "Twice x; no gradient.", math = "y = 2 x";
  struct Attrs {};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array<std::string_view, 1> inputs{"x"};
  static Shape infer(const Attrs&, std::span<const Shape> in) { return in[0]; }
  template <class T>
  static void forward(const Attrs&, const CustomForward<T>& f) {
    for (int64_t row = 0; row < f.rows; ++row)
      for (int64_t e = 0; e < f.shapes[0].size(); ++e) f.out[row][e] = 2 * f.in[0][row][e];
  }
  static std::vector<CustomSample<Attrs>> samples() { return {{{}, {{3}}}}; }
};

TEST(Custom, obeys_the_laws) {
  EXPECT_EQ(check_op<Softclip>(), std::vector<std::string>());
  EXPECT_EQ(check_op<Silent>(), std::vector<std::string>());
}

TEST(Custom, what_is_wrong_is_found_out) {
  const std::vector<std::string> slope = check_op<WrongSlope>();
  ASSERT_EQ(slope.size(), 2 * law::all_devices().size()) << "two samples on each device";
  EXPECT_EQ(slope[0].find("gradient/test.wrong_slope/0/ref: given as rows: call 0, leaf 0, element 0: the gradient is"),
            0u)
      << slope[0];
  const std::vector<std::string> leaky = check_op<Leaky>();
  ASSERT_FALSE(leaky.empty());
  EXPECT_EQ(leaky[0].find("gradient/"), std::string::npos) << leaky[0];
}

TEST(Custom, is_called_inside_and_outside_a_cell) {
  const CustomOp<Softclip> softclip;
  Engine engine;
  Graph g = engine.graph();
  Parameters params;
  const Parameter w = Scope(params).add("w", {2}, init::from({0.5f, 0.25f}));
  const auto cell = Scope(params).cell("c", {{2}}, [&](Expr x) -> Expr { return softclip({x, w}, {2.f}) * 2; });
  const std::vector<float> values{1, -3};
  const Expr x = input(g, values, {2}), y = softclip({x, w}, {2.f}), z = cell(x);
  const float first = 2 * std::tanh(0.5f) + 0.75f;
  EXPECT_FLOAT_EQ(engine.tensor(y)[0], first);
  EXPECT_FLOAT_EQ(engine.tensor(z)[0], 2 * first);
  const Gradients gradients = engine.backward(sum_elements(y) + sum_elements(z));
  EXPECT_EQ(gradients.of(w).to_vector(), (std::vector<float>{6, 6}));
}

TEST(Custom, refuses_what_does_not_fit) {
  const CustomOp<Softclip> softclip;
  Engine engine;
  Graph g = engine.graph();
  const Expr x = zeros(g, {2});
  const size_t calls = g.calls();
  EXPECT_EQ(test::error_of([&] { softclip({x}, {}, Where{"a.cc", 7}); }),
            "test.softclip: 1 operands are given; it takes 2 (a.cc:7)");
  EXPECT_EQ(test::error_of([&] { softclip({x, x}, {0.f}, Where{"a.cc", 8}); }),
            "softclip: limit = 0.000000; it must be above 0 (a.cc:8)");
  EXPECT_EQ(g.calls(), calls);

  detail::CustomOpTable table = detail::table_of<Softclip>();
  EXPECT_EQ(&detail::register_op(table), &custom_op<Softclip>());
  table.infer = nullptr;
  EXPECT_EQ(test::error_of([&] { detail::register_op(table); }),
            "op 'test.softclip': another op with this name is registered; choose another");
  table.name = "tanh";
  EXPECT_EQ(test::error_of([&] { detail::register_op(table); }),
            "op 'tanh': the library has an op with this name; choose another");
  table.name = "my op";
  EXPECT_EQ(test::error_of([&] { detail::register_op(table); }),
            "op 'my op': invalid name; use only letters, digits, '_' and '.'");
}

// A constant has no rows, and an empty operand has no gradient.
TEST(Custom, takes_constants_and_nothing) {
  const CustomOp<Softclip> softclip;
  Engine engine;
  Graph g = engine.graph();
  Parameters params;
  const auto cell = Scope(params).cell("c", {{2}}, [&](Expr x) -> Expr { return softclip({x, 3.f}); });
  const Expr x = zeros(g, {2}), y = cell(x), z = softclip({x, zeros(g, {0})});
  engine.watch(x);
  EXPECT_EQ(engine.tensor(y).to_vector(), (std::vector<float>{3, 3}));
  EXPECT_EQ(engine.tensor(z).to_vector(), (std::vector<float>{0, 0}));
  EXPECT_EQ(engine.backward(sum_elements(y + z)).of(x).to_vector(), (std::vector<float>{2, 2}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
