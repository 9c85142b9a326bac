// Generated ListOps: reproducible, within its limits, distributed like the published data.
#include <espalier/data/listops.h>

#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>
#include <espalier/base/error.h>

namespace espalier::data::listops {
namespace ESPALIER_FILE {

std::string message(size_t n, const Options& options) {
  try {
    generate(n, 1, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ListOpsGenerate, IsTheSameOnEveryPlatform) {
  const auto e = generate(5, 9);
  ASSERT_EQ(e.size(), 5u);
  EXPECT_EQ(to_text(e[0]), "[MED 0 [MIN 5 [SM 1 [MED 9 0 7 ] 2 ] ] 8 0 ]");
  EXPECT_EQ(to_text(e[1]), "[SM 5 8 ]");
  EXPECT_EQ(to_text(e[4]), "[MED 3 9 [MAX 1 3 3 1 1 ] [SM 5 [MAX 0 6 ] 0 ] ]");
}

TEST(ListOpsGenerate, FollowsFromTheSeed) {
  const auto a = generate(200, 7), longer = generate(300, 7), other = generate(200, 8);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), longer.begin()));
  EXPECT_NE(a, other);
}

TEST(ListOpsGenerate, KeepsItsLimits) {
  const auto all = generate(5'000, 3, {.max_depth = 5, .max_args = 3, .max_tokens = 25});
  std::set<std::string> texts;
  for (const auto& e : all) {
    EXPECT_LE(e.depth(), 5u);
    EXPECT_GE(e.depth(), 2u);
    EXPECT_LE(e.length(), 25u);
    for (const auto& node : e.nodes) EXPECT_TRUE(node.is_digit() || (node.count >= 2 && node.count <= 3));
    EXPECT_EQ(e.value(), evaluate(e));
    const std::string text = to_text(e);
    EXPECT_EQ(parse(text), e);
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), all.size());  // no two are equal
}

TEST(ListOpsGenerate, IsDistributedAsPublished) {
  const auto all = generate(20'000, 5);
  std::array<double, tokens> seen{};
  std::array<double, 10> values{};
  std::array<double, 6> arity{};
  double digits = 0, ops = 0;
  size_t deepest = 0;
  for (const auto& e : all) {
    values[static_cast<size_t>(e.value())] += 1;
    deepest = std::max(deepest, e.depth());
    for (const auto& node : e.nodes) {
      seen[static_cast<size_t>(node.token)] += 1;
      (node.is_digit() ? digits : ops) += 1;
      if (!node.is_digit()) arity.at(node.count) += 1;
    }
  }
  EXPECT_EQ(deepest, 20u);
  // In the published training file, 25.25 % of all arguments are operators, with 9.3 operators per line.
  const double roots = static_cast<double>(all.size());
  EXPECT_NEAR((ops - roots) / (ops - roots + digits), 0.25, 0.01);
  EXPECT_NEAR(ops / roots, 8.8, 0.8);
  for (size_t d = 0; d < 10; ++d) EXPECT_NEAR(seen[d] / digits, 0.1, 0.005) << d;
  for (size_t op = 10; op < 14; ++op) EXPECT_NEAR(seen[op] / ops, 0.25, 0.01) << op;
  for (size_t n = 2; n <= 5; ++n) EXPECT_NEAR(arity[n] / ops, 0.25, 0.02) << n;
  // The frequencies of its labels are 0.093 … 0.113.
  for (size_t v = 0; v < 10; ++v) EXPECT_NEAR(values[v] / roots, 0.1, 0.025) << v;
}

TEST(ListOpsGenerate, ErrorsSayWhatIsNeeded) {
  EXPECT_EQ(message(1, {.max_depth = 1}), "listops: max_depth is 1; an operator and its digits need at least 2");
  EXPECT_EQ(message(1, {.max_args = 1}), "listops: max_args is 1; an operator needs at least 2");
  EXPECT_EQ(message(1, {.max_tokens = 3}), "listops: max_tokens is 3; the shortest expression has 4");
  EXPECT_EQ(message(401, {.max_depth = 2, .max_args = 2}),
            "listops: found only 400 of 401 distinct expressions within max_depth 2, max_args 2, "
            "max_tokens 0; allow larger ones");
  EXPECT_EQ(message(400, {.max_depth = 2, .max_args = 2}), "no error");
  EXPECT_EQ(message(0, {}), "no error");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::listops
