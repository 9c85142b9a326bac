#include <espalier/data/synthetic/marked.h>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace espalier::data::marked {
namespace ESPALIER_FILE {

TEST(Marked, IsGeneratedAsTheProblemsSay) {
  size_t shortest = 1000, longest = 0, late = 0;
  for (const Problem problem : {Problem::addition, Problem::multiplication})
    for (uint64_t i = 0; i < 500; ++i) {
      const Sequence s = draw(problem, 7, i, {20, 30});
      shortest = std::min(shortest, s.steps.size());
      longest = std::max(longest, s.steps.size());
      std::vector<size_t> marks;
      for (size_t t = 0; t < s.steps.size(); ++t) {
        const Step& step = s.steps[t];
        ASSERT_TRUE(step.number >= (problem == Problem::addition ? -1 : 0) && step.number < 1);
        if (step.mark == 1) marks.push_back(t);
        if (t > 0 && t + 1 < s.steps.size()) {
          ASSERT_NE(step.mark, -1);
        } else {
          ASSERT_NE(step.mark, 0);
        }
      }
      ASSERT_EQ(marks.size(), 2u);
      ASSERT_LT(marks[0], 10u);
      ASSERT_LT(marks[1], s.steps.size() / 2);
      late += marks[1] >= 10;
      const float a = s.steps[marks[0]].number, b = s.steps[marks[1]].number;
      ASSERT_EQ(s.target, problem == Problem::addition ? 0.5f + (a + b) / 4 : a * b);
    }
  EXPECT_EQ(shortest, 20u);
  EXPECT_EQ(longest, 30u);
  EXPECT_GT(late, 50u);
}

TEST(Marked, FollowsFromSeedAndNumber) {
  const Sequence s = draw(Problem::addition, 1, 3);
  EXPECT_EQ(s, draw(Problem::addition, 1, 3));
  EXPECT_NE(s, draw(Problem::addition, 1, 4));
  EXPECT_NE(s, draw(Problem::addition, 2, 3));
  EXPECT_EQ(test::error_of([] { draw(Problem::addition, 1, 1, {3, 10}); }),
            "marked: lengths 3 … 10; the shortest must be at least 4 and at most the longest");
}

TEST(Marked, IsParsed) {
  EXPECT_EQ(parse(Problem::addition, "0.5 -1* 0.25 0.5* "),
            (Sequence{{{0.5f, -1}, {-1, 1}, {0.25f, 0}, {0.5f, 1}}, 0.375f}));
  EXPECT_EQ(parse(Problem::multiplication, "0.5* 1 0.25* 0.5").target, 0.125f);
  EXPECT_EQ(test::error_of([] { parse(Problem::addition, "1* 2* 3"); }),
            "line:1:1: 3 numbers, 2 of them marked; expected at least 4, two of them marked, such as 0.5*");
  EXPECT_EQ(test::error_of([] { parse(Problem::addition, "1* 2* inf 3", "dev.txt", 12); }),
            "dev.txt:12:7: 'inf' is not a number");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::marked
