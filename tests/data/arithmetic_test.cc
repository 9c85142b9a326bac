// Arithmetic: both text forms, files, trees of tokens, and errors.
#include <espalier/data/arithmetic.h>

#include <sstream>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace espalier::data::arithmetic {
namespace ESPALIER_FILE {

using test::error_of;

std::string said(const std::string& text) {
  return error_of([&] { parse(text); });
}

TEST(Arithmetic, ReadsWhatIsPublished) {
  std::istringstream in("-10\t( + ( ( - ( 7 8 ) ) -9 ) )\n\n0\t0\r\n( * ( -2 3 ) )\n");
  const auto all = read(in);
  ASSERT_EQ(all.size(), 3u);
  using Nodes = std::vector<Expression::Node>;
  EXPECT_EQ(all[0].nodes, (Nodes{{0, 7, 0, 0}, {0, 8, 0, 0}, {'-', -1, 0, 1}, {0, -9, 0, 0}, {'+', -10, 2, 3}}));
  EXPECT_EQ(all[1].nodes, (Nodes{{0, 0, 0, 0}}));
  EXPECT_EQ(all[2].value(), -6);
  EXPECT_EQ(all[0].nodes[0].token(), 17);
  EXPECT_EQ(all[0].nodes[4].token(), 21);
  EXPECT_EQ(all[2].nodes[2].token(), tokens - 1);
}

TEST(Arithmetic, IsWrittenInTwoForms) {
  const Expression e = parse("1 - 2*(3+4) -(5 - -6)");
  EXPECT_EQ(e.value(), 1 - 2 * (3 + 4) - (5 - -6));
  EXPECT_EQ(to_text(e), "( - ( ( - ( 1 ( * ( 2 ( + ( 3 4 ) ) ) ) ) ) ( - ( 5 -6 ) ) ) )");
  EXPECT_EQ(to_text(e, Form::infix), "1 - 2 * (3 + 4) - (5 - -6)");
  EXPECT_EQ(parse("((7))").value(), 7);
  EXPECT_EQ(parse("(-7)").value(), -7);
}

TEST(Arithmetic, AsATreeOfTokens) {
  const binary_tree::Tree tree = binarise(parse("( + ( 1 2 ) )"));
  EXPECT_EQ(tree.nodes, (std::vector<binary_tree::Tree::Node>{
                            {11, 0, 0}, {12, 0, 0}, {21, 0, 0}, {-1, 0, 1}, {-1, 2, 3}}));  // ( + ( 1 2 ) )
}

TEST(Arithmetic, DeepExpressionsNeedNoStack) {
  constexpr size_t levels = 100'000;
  std::string text;
  for (size_t i = 0; i < levels; ++i) text += "( - ( 1 ";
  text += "0";
  for (size_t i = 0; i < levels; ++i) text += " ) )";
  const Expression e = parse(text);
  EXPECT_EQ(e.value(), 0);
  EXPECT_EQ(to_text(e), text);
  EXPECT_EQ(parse(to_text(e, Form::infix)), e);
}

TEST(Arithmetic, ErrorsSayWhere) {
  EXPECT_EQ(said(""), "arithmetic:1:1: the text ends; expected a number or (");
  EXPECT_EQ(said("( + ( 1 11 ) )"), "arithmetic:1:9: '11' is not a number; expected -10 … 10");
  EXPECT_EQ(said("-2147483648"), "arithmetic:1:1: '-2147483648' is not a number; expected -10 … 10");
  EXPECT_EQ(said("( + ( 1 ) )"), "arithmetic:1:5: not an expression; expected ( op ( x y ) ) with + - or *");
  EXPECT_EQ(said("( + 1 2 )"), "arithmetic:1:1: not an expression; expected ( op ( x y ) ) with + - or *");
  EXPECT_EQ(said("( + ( 1 2 )"), "arithmetic:1:12: the text ends inside the '(' at column 1; expected )");
  EXPECT_EQ(said("( + ( 1 2 ) ) )"), "arithmetic:1:15: ')' without a '('");
  EXPECT_EQ(said("( + ( 1 2 ) ) 3"), "arithmetic:1:15: '3' after the end; expected the end of the text");
  EXPECT_EQ(said("( + ( ) )"), "arithmetic:1:7: the list is empty; expected a word or a list between ( and )");
  EXPECT_EQ(said("1 + x"), "arithmetic:1:5: 'x' is not a number; expected -10 … 10");
  EXPECT_EQ(said("1 +"), "arithmetic:1:4: the text ends; expected a number or (");
  EXPECT_EQ(said("1 2"), "arithmetic:1:3: '2' after an operand; expected + - * or )");
  EXPECT_EQ(said("(1 + 2"), "arithmetic:1:7: the text ends inside the '(' at column 1; expected )");
  EXPECT_EQ(said("1)"), "arithmetic:1:2: ')' without a '('");
  EXPECT_EQ(said("10*10*10*10*10*10*10"), "arithmetic:1:18: the value of a subexpression exceeds 1000000");
  const auto read_said = [](const std::string& text) {
    std::istringstream in(text);
    return error_of([&] { read({in, "train.tsv"}); });
  };
  EXPECT_EQ(read_said("3\t( + ( 1 2 ) )\n4\t( + ( 1 2 ) )\n"), "train.tsv:2:1: label 4 of an expression with value 3");
  EXPECT_EQ(read_said("x\t( + ( 1 10 ) )\n"), "train.tsv:1:1: 'x' is not a label; expected an integer");
  EXPECT_EQ(read_said("1\t( + ( 1 x ) )\n"), "train.tsv:1:11: 'x' is not a number; expected -10 … 10");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::arithmetic
