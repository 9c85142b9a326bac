#include <espalier/engine/check_gradients.h>

#include <gtest/gtest.h>

#include <espalier/espalier.h>

namespace espalier {
namespace ESPALIER_FILE {

struct Model {
  Parameters params{7};
  nn::Embedding words{params / "words", 5, 3};
  nn::LSTM lstm{params / "lstm", 3, 4};
  nn::Linear out{params / "out", 4, 2};

  // With `wrong`, half of the forward value passes no gradient.
  Expr loss(Graph& g, bool wrong = false) const {
    std::vector<Expr> losses;
    for (const std::vector<int>& example : {std::vector<int>{1, 2, 3}, {4, 4}, {0}}) {
      nn::State s;
      for (int word : example) s = lstm(dropout(words(g, word), 0.25f), s);
      const Expr h = wrong ? s.h + stop_gradient(s.h) : s.h * 2;  // the same value, half the gradient
      losses.push_back(cross_entropy(out(h), example[0] % 2));
    }
    return sum(losses);
  }
};

TEST(CheckGradients, of_a_right_model_are_right) {
  Model m;
  const std::vector<float> before = m.out.weight.value().to_vector();
  for (Device device : {Device::cpu(), Device::ref()}) {
    CheckGradientsOptions options;
    options.device = device;
    const GradientCheck all = check_gradients(m.params, [&](Graph& g) { return m.loss(g); }, options);
    EXPECT_TRUE(all.ok()) << all.text();
    EXPECT_EQ(all.checked, 15u + 20 + 20 + 16 + 8 + 2);
  }
  EXPECT_EQ(m.out.weight.value().to_vector(), before);
}

TEST(CheckGradients, finds_what_is_wrong_and_names_it) {
  Model m;
  CheckGradientsOptions options;
  options.parameters = "lstm.*";
  options.elements = 0;
  const GradientCheck some = check_gradients(m.params, [&](Graph& g) { return m.loss(g, true); }, options);
  EXPECT_FALSE(some.ok());
  EXPECT_EQ(some.checked, 48u + 64 + 16);
  ASSERT_GT(some.wrong.size(), 10u);
  EXPECT_EQ(some.wrong[0].parameter.rfind("lstm.", 0), 0u);
  EXPECT_NEAR(some.wrong[0].gradient, 0.5 * some.wrong[0].slope, 1e-5);
  EXPECT_EQ(some.text().find("128 elements checked, "), 0u) << some.text();

  options.tolerance = 2;
  EXPECT_TRUE(check_gradients(m.params, [&](Graph& g) { return m.loss(g, true); }, options).ok());
  options.tolerance = CheckGradientsOptions().tolerance;
  options.parameters = "out.*";
  EXPECT_TRUE(check_gradients(m.params, [&](Graph& g) { return m.loss(g, true); }, options).ok());
}

// In a large table, only the rows that the loss reads are checked, even if their gradients are small.
TEST(CheckGradients, looks_at_rows_that_are_read) {
  Parameters params;
  const Lookup table = Scope(params).add_lookup("table", 10000, {3});
  auto loss = [&](Graph& g) {
    const Expr x = lookup(g, table, 7);
    return sum_elements(square(x) + stop_gradient(square(x))) * 1e-6f;
  };
  const GradientCheck check = check_gradients(params, loss);
  EXPECT_EQ(check.checked, 3u);
  EXPECT_EQ(check.wrong.size(), 3u) << check.text();
}

// A rounding residue in place of an exact zero is not a wrong gradient.
TEST(CheckGradients, of_true_zeros_are_right) {
  Parameters params(3);
  const Parameter w = Scope(params).add("w", {40}, init::normal(0, 3)), b = Scope(params).add("b", {});
  const std::vector<float> numbers(40, 0.3f);
  auto sum_of_shares = [&](Graph& g) { return sum_elements(softmax(row(g, w))); };
  auto shifted = [&](Graph& g) {
    const Expr x = input(g, numbers, {40}) * row(g, w);
    return cross_entropy(x + row(g, b), 7) + cross_entropy(x * 3 + row(g, b), 9);
  };
  for (Device device : {Device::cpu(), Device::ref()}) {
    const GradientCheck shares = check_gradients(params, sum_of_shares, {.parameters = "w", .device = device});
    EXPECT_TRUE(shares.ok()) << shares.text();
    const GradientCheck shifts = check_gradients(params, shifted, {.parameters = "b", .device = device});
    EXPECT_TRUE(shifts.ok()) << shifts.text();
    EXPECT_EQ(shares.skipped + shifts.skipped, 0u);
  }
}

// relu: two elements at the kink, two so near that the first step crosses it, one far away.
TEST(CheckGradients, skip_kinks) {
  Parameters params;
  const Parameter w = Scope(params).add("w", {5}, init::from({0, 0, 1e-4f, -2e-4f, 1}));
  auto model = [&](Graph& g) { return sum_elements(relu(row(g, w)) * 3 + square(row(g, w))); };
  const GradientCheck check = check_gradients(params, model);
  EXPECT_TRUE(check.ok()) << check.text();
  EXPECT_EQ(check.checked, 3u);
  EXPECT_EQ(check.skipped, 2u);
  EXPECT_EQ(check.text(), "3 elements checked, 2 skipped at kinks, 0 wrong");

  auto wrong = [&](Graph& g) { return sum_elements(relu(row(g, w)) + stop_gradient(square(square(row(g, w))))); };
  const GradientCheck found = check_gradients(params, wrong);
  EXPECT_EQ(found.skipped, 2u) << found.text();
  ASSERT_EQ(found.wrong.size(), 1u) << found.text();
  EXPECT_EQ(found.wrong[0].element, 4u);

  auto jumps = [&](Graph& g) { return sum_elements(floor(row(g, w))); };
  EXPECT_EQ(check_gradients(params, jumps).skipped, 0u) << "a jump is no kink";
}

TEST(CheckGradients, leaves_parameters_alone_when_the_loss_throws) {
  Model m;
  const std::vector<float> before = m.words.weight.value().to_vector();
  int runs = 0;
  EXPECT_THROW(check_gradients(m.params,
                               [&](Graph& g) {
                                 if (++runs == 3) throw DataError("no more");
                                 return m.loss(g);
                               }),
               DataError);
  EXPECT_EQ(m.words.weight.value().to_vector(), before);
  m.words.weight.freeze();
  EXPECT_EQ(check_gradients(m.params, [&](Graph& g) { return m.loss(g); }, {.parameters = "words.*"}).checked, 0u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
