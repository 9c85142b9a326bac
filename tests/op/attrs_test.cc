#include "op/attrs.h"

#include <gtest/gtest.h>

#include <clocale>

namespace espalier {
namespace ESPALIER_FILE {

TEST(NumberText, is_printf_of_the_c_locale) {
  EXPECT_EQ(number_text(0.5, 9), "0.5");
  EXPECT_EQ(number_text(3, 9), "3");
  EXPECT_EQ(number_text(-1.0 / 3, 9), "-0.333333333");
  EXPECT_EQ(number_text(1e20, 17), "1e+20");
}

// A program may set any locale; keys and texts of ops must not depend on it.
TEST(NumberText, has_a_point_where_others_write_a_comma) {
  bool found = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    found = found || std::setlocale(LC_ALL, name) != nullptr;
  if (!found) GTEST_SKIP() << "no locale with a decimal comma is installed";
  const std::string text = number_text(0.5, 9);
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(text, "0.5");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
