// Fuzzing with a fixed number of programs, the same in every run.
#include "law/program/fuzz.h"

#include <gtest/gtest.h>

#include <iostream>

#include <espalier/base/error.h>
#include "law/program/check.h"

namespace espalier::law {
namespace ESPALIER_FILE {

TEST(Fuzz, RandomProgramsObeyTheLaws) {
#ifdef NDEBUG
  constexpr uint64_t programs = 400;
#else
  constexpr uint64_t programs = 60;
#endif
  const FuzzReport report = fuzz({.seed = 20, .seconds = 0, .programs = programs, .reproduce = {}});
  for (const std::string& f : report.failures) ADD_FAILURE() << f;
  EXPECT_EQ(report.programs, programs);
  EXPECT_GT(report.laws, programs * 100);
  RecordProperty("programs", static_cast<int>(report.programs));
  std::cout << "fuzz: " << report.programs << " programs, " << report.calls << " calls, " << report.laws
            << " laws held\n";
}

TEST(Fuzz, ARecipeIsItsText) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const RandomProgram r = random_program(seed);
    EXPECT_EQ(print(parse_random_program(print(r))), print(r));
  }
}

TEST(Fuzz, ABrokenRecipeSaysWhere) {
  try {
    parse_random_program("7:1.2.x");
    FAIL();
  } catch (const DataError& e) {
    EXPECT_STREQ(e.what(), "program:1:7: a number is needed");
  }
}

// Shrinking finds the example and the one line that cause the failure.
TEST(Fuzz, ShrinkingLeavesWhatMatters) {
  RandomProgram r = random_program(3);
  r.examples.assign(4, std::vector<Line>(20, Line{1, 2, 3, 4}));
  r.examples[2][11].what = 77;
  const RandomProgram small = shrink(r, [](const RandomProgram& c) {
    for (const auto& e : c.examples)
      for (const Line& l : e)
        if (l.what == 77) return true;
    return false;
  });
  ASSERT_EQ(small.examples.size(), 1u);
  ASSERT_EQ(small.examples[0].size(), 1u);
  EXPECT_EQ(small.examples[0][0].what, 77);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::law
