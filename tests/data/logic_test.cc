// Propositional logic: formulas, truth tables, relations, files and errors.
#include <espalier/data/logic.h>

#include <sstream>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace espalier::data::logic {
namespace ESPALIER_FILE {

using test::error_of;

TEST(Logic, ReadsWhatIsPublished) {
  std::istringstream in("^\t( not c )\tc\n\n#\tb\t( c ( or f ) )\r\n");
  const auto pairs = read(in);
  ASSERT_EQ(pairs.size(), 2u);
  using Nodes = std::vector<Formula::Node>;
  EXPECT_EQ(pairs[0].left.nodes, (Nodes{{2, 0, 0}, {not_token, 0, 0}}));
  EXPECT_EQ(pairs[0].right.nodes, (Nodes{{2, 0, 0}}));
  EXPECT_EQ(pairs[0].relation, 1);
  EXPECT_EQ(pairs[1].right.nodes, (Nodes{{2, 0, 0}, {5, 0, 0}, {or_token, 0, 1}}));
  EXPECT_EQ(pairs[1].right.operators(), 1u);
  EXPECT_EQ(pairs[1].relation, 6);
}

TEST(Logic, RelationsFollowFromTruthTables) {
  const auto name = [](const char* left, const char* right) {
    return relation_names[static_cast<size_t>(relation(parse_formula(left), parse_formula(right)))];
  };
  EXPECT_EQ(name("( a ( and b ) )", "( b ( and a ) )"), "=");
  EXPECT_EQ(name("( not ( a ( and b ) ) )", "( ( not a ) ( or ( not b ) ) )"), "=");  // De Morgan
  EXPECT_EQ(name("a", "( not a )"), "^");
  EXPECT_EQ(name("( a ( and b ) )", "a"), "<");
  EXPECT_EQ(name("a", "( a ( and b ) )"), ">");
  EXPECT_EQ(name("( a ( and b ) )", "( not a )"), "|");
  EXPECT_EQ(name("( a ( or b ) )", "( not a )"), "v");
  EXPECT_EQ(name("a", "f"), "#");
  EXPECT_EQ(parse_formula("( e ( and f ) )").truth(), 0xffff000000000000u);
}

TEST(Logic, IsWrittenAsItWasRead) {
  const char* text = "( ( ( not c ) ( and b ) ) ( or ( not ( f ( and c ) ) ) ) )";
  EXPECT_EQ(to_text(parse_formula(text)), text);
  const binary_tree::Tree tree = binarise(parse_formula("( c ( or ( not f ) ) )"));
  using Nodes = std::vector<binary_tree::Tree::Node>;
  EXPECT_EQ(tree.nodes,
            (Nodes{{2, 0, 0}, {5, 0, 0}, {not_token, 0, 0}, {-1, 2, 1}, {or_token, 0, 0}, {-1, 4, 3}, {-1, 0, 5}}));
}

TEST(Logic, ErrorsSayWhere) {
  const auto said = [](const std::string& text) {
    std::istringstream in(text);
    return error_of([&] { read({in, "train3"}); });
  };
  EXPECT_EQ(said("a\n"), "train3:1:1: 1 columns; expected an optional relation and two formulas, separated by tabs");
  EXPECT_EQ(said("a\tb\n?\ta\tb\n"), "train3:2:1: '?' is not a relation; expected = ^ < > | v or #");
  EXPECT_EQ(said("=\ta\t( not a )\n"), "train3:1:1: relation = of formulas with relation ^");
  EXPECT_EQ(said("=\ta\tg\n"), "train3:1:5: 'g' is not a token; expected a variable a-f, not, and, or");
  EXPECT_EQ(said("=\ta\t\n"), "train3:1:5: the text is empty; expected a variable a-f or (");
  EXPECT_EQ(said("=\t( a b )\ta\n"),
            "train3:1:3: not a formula; expected ( not x ), ( x ( and y ) ) or ( x ( or y ) )");
  EXPECT_EQ(said("=\t( not a b )\ta\n"),
            "train3:1:3: not a formula; expected ( not x ), ( x ( and y ) ) or ( x ( or y ) )");
  EXPECT_EQ(said("=\t( and a )\ta\n"), "train3:1:3: the formula is incomplete");
  EXPECT_EQ(said("=\tnot\ta\n"), "train3:1:3: the formula is incomplete");
  EXPECT_EQ(said("=\ta\t( not a\n"), "train3:1:12: the text ends inside the '(' at column 5; expected )");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::logic
