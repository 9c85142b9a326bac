// Synthetic data depends only on seed and index and has the documented properties; impossible options are errors.
#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <espalier/data/arithmetic.h>
#include <espalier/data/logic.h>
#include <espalier/data/synthetic/digit_images.h>
#include <espalier/data/synthetic/fizz_buzz.h>
#include <espalier/data/synthetic/languages.h>

#include "base/random.h"
#include "support/error_of.h"

namespace espalier::data {
namespace ESPALIER_FILE {

using test::error_of;

TEST(Made, Arithmetic) {
  const auto all = arithmetic::generate(5'000, 7);
  std::set<std::string> texts;
  for (const auto& e : all) {
    EXPECT_LE(std::abs(e.value()), arithmetic::largest);
    EXPECT_LE(e.nodes.size(), 7u);
    EXPECT_EQ(arithmetic::parse(arithmetic::to_text(e)), e);
    texts.insert(arithmetic::to_text(e));
  }
  EXPECT_EQ(texts.size(), all.size());
  EXPECT_EQ(all[0], arithmetic::draw(7, 0));
  EXPECT_NE(all, arithmetic::generate(5'000, 8));
  bool times = false;
  for (const auto& e : arithmetic::generate(100, 7, arithmetic::calculator))
    for (const auto& node : e.nodes) {
      times |= node.op == '*';
      EXPECT_FALSE(node.is_number() && node.value < 0);
    }
  EXPECT_TRUE(times);
  const auto said = [](const arithmetic::Options& o, size_t n = 1) {
    return error_of([&] { arithmetic::generate(n, 1, o); });
  };
  EXPECT_EQ(said({.max_operators = 0}), "arithmetic: max_operators is 0; expected at least 1");
  EXPECT_EQ(said({.ops = "+/"}), "arithmetic: ops are '+/'; expected some of +-*");
  EXPECT_EQ(said({.biggest = 11}), "arithmetic: numbers -10 … 11; expected a range inside -10 … 10");
  EXPECT_EQ(said({.ops = "+", .smallest = 9}),
            "arithmetic: none of 10000 expressions has a value in -10 … 10; allow other numbers");
  EXPECT_EQ(said({.max_operators = 1, .smallest = 0, .biggest = 1}, 9),
            "arithmetic: found only 8 of 9 distinct examples; allow larger ones");
}

TEST(Made, Logic) {
  const auto all = logic::generate(5'000, 3);
  std::array<int, logic::relations> counts{};
  for (const auto& pair : all) {
    ++counts[static_cast<size_t>(pair.relation)];
    EXPECT_EQ(logic::parse(logic::to_text(pair.left) + "\t" + logic::to_text(pair.right)), pair);
    EXPECT_LE(pair.left.operators(), 6u);
    std::set<int> variables;
    for (const auto* f : {&pair.left, &pair.right})
      for (const auto& node : f->nodes)
        if (node.is_variable()) variables.insert(node.token);
    EXPECT_LE(variables.size(), 4u);
  }
  for (const int count : counts) EXPECT_GT(count, 50);
  EXPECT_NEAR(counts.back(), 2'500, 250);
  EXPECT_EQ(all[0], logic::draw(3, 0));
  EXPECT_EQ(error_of([] { logic::generate(1, 1, {.variables = 7}); }), "logic: 7 variables; expected 1 … 6");
  EXPECT_EQ(error_of([] { logic::generate(1, 1, {.max_operators = -1}); }),
            "logic: max_operators is -1; expected at least 0");
  EXPECT_EQ(error_of([] { logic::generate(2, 1, {.max_operators = 0, .variables = 1}); }), "no error");
}

TEST(Made, Languages) {
  const auto all = languages::generate(1'000, 4);
  std::set<int> met;
  for (const auto& text : all) {
    met.insert(text.language);
    EXPECT_GE(text.letters.size(), 2u);
    EXPECT_EQ(text.letters.find_first_not_of("abcdefghijklmnopqrstuvwxyz "), std::string::npos) << text.letters;
    EXPECT_FALSE(text.language == 0 && text.letters.find("st") != std::string::npos) << text.letters;
  }
  EXPECT_EQ(met.size(), static_cast<size_t>(languages::count));
  EXPECT_EQ(all[999], languages::draw(4, 999));
}

TEST(Made, FizzBuzz) {
  EXPECT_EQ(fizz_buzz::answer(7), 0);
  EXPECT_EQ(fizz_buzz::answer(9), 1);
  EXPECT_EQ(fizz_buzz::answer(10), 2);
  EXPECT_EQ(fizz_buzz::answer(15), 3);
  std::set<int> met;
  for (const auto& n : fizz_buzz::generate(1'000, 1, 5, 9)) met.insert(n.number);
  EXPECT_EQ(met, (std::set<int>{5, 6, 7, 8, 9}));
  EXPECT_EQ(error_of([] { fizz_buzz::generate(1, 1, 3, 2); }), "fizz_buzz: numbers 3 … 2; expected 0 ≤ first ≤ last");
}

// A nearest-mean classifier identifies most images, so the classes are distinct, but not all, so the images vary.
TEST(Made, DigitImages) {
  using namespace digit_images;
  const auto all = generate(1'500, 1);
  std::vector<std::vector<float>> mean(digits, std::vector<float>(784));
  std::vector<float> count(digits);
  for (size_t i = 0; i < 1'000; ++i) {
    ASSERT_EQ(all[i].pixels.size(), 784u);
    const auto digit = static_cast<size_t>(all[i].digit);
    ++count[digit];
    for (size_t p = 0; p < 784; ++p) {
      ASSERT_TRUE(all[i].pixels[p] >= 0 && all[i].pixels[p] <= 1);
      mean[digit][p] += all[i].pixels[p];
    }
  }
  int right = 0;
  for (size_t i = 1'000; i < 1'500; ++i) {
    std::vector<float> distances;
    for (size_t d = 0; d < mean.size(); ++d) {
      float sum = 0;
      for (size_t p = 0; p < 784; ++p) sum += std::pow(mean[d][p] / count[d] - all[i].pixels[p], 2.f);
      distances.push_back(sum);
    }
    right += std::min_element(distances.begin(), distances.end()) - distances.begin() == all[i].digit;
  }
  EXPECT_GT(right, 250);
  EXPECT_LT(right, 490);
  EXPECT_EQ(all[7], draw(1, 7));
}

// A hash of several generators is the same on every platform.
TEST(Made, IsTheSameEverywhere) {
  uint64_t sum = 0;
  for (const float p : digit_images::draw(1, 2).pixels) sum = mix(sum, static_cast<uint64_t>(p * 255 + 0.5f));
  sum = mix(sum, mix(languages::draw(1, 2).letters));
  sum = mix(sum, mix(arithmetic::to_text(arithmetic::draw(1, 2))));
  sum = mix(sum, mix(logic::to_text(logic::draw(1, 2).left)));
  EXPECT_EQ(sum, 2480926147043390306u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data
