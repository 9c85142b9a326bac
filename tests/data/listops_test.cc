// ListOps: values, text and binarisation of hand-written expressions.
#include <espalier/data/listops.h>

#include <filesystem>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include "support/data_file.h"

namespace espalier::data::listops {
namespace ESPALIER_FILE {

int worth(std::string_view text) {
  const Expression e = parse(text);
  EXPECT_EQ(e.value(), evaluate(e)) << text;
  return e.value();
}

std::string message(std::string_view text) {
  try {
    parse(text);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

std::string read_message(const std::string& lines) {
  std::istringstream in(lines);
  try {
    read(in, "train.tsv");
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

// [MAX [MAX … 7 … ] ]
std::string nested(size_t levels) {
  std::string text;
  for (size_t i = 0; i < levels; ++i) text += "[MAX ";
  text += "7";
  for (size_t i = 0; i < levels; ++i) text += " ]";
  return text;
}

TEST(ListOps, Evaluates) {
  EXPECT_EQ(worth("7"), 7);
  EXPECT_EQ(worth("[MAX 2 9 [MIN 4 7 ] 0 ]"), 9);
  EXPECT_EQ(worth("[MIN 4 7 ]"), 4);
  EXPECT_EQ(worth("[SM 9 9 9 ]"), 7);
  EXPECT_EQ(worth("[SM 5 5 ]"), 0);
  EXPECT_EQ(worth("[MED 9 1 3 ]"), 3);
  EXPECT_EQ(worth("[MED 1 4 ]"), 2);  // 2.5, rounded down
  EXPECT_EQ(worth("[MED 9 0 2 6 ]"), 4);
  EXPECT_EQ(worth("[SM [MED 1 4 ] [MAX 3 [SM 8 7 ] ] [MIN 6 8 ] ]"), 3);  // 2 + 5 + 6
  EXPECT_EQ(worth("[MAX 3 ]"), 3);
}

TEST(ListOps, EveryNodeKnowsItsValueAndArguments) {
  const Expression e = parse("[SM 2 [MIN 4 7 ] 9 ]");
  ASSERT_EQ(e.nodes.size(), 6u);
  EXPECT_EQ(e.nodes[e.root()].token, static_cast<int>(Op::sm));
  const auto args = e.args(e.root());
  ASSERT_EQ(args.size(), 3u);
  EXPECT_EQ(e.nodes[args[0]].value, 2);
  EXPECT_EQ(e.nodes[args[1]].value, 4);
  EXPECT_EQ(e.nodes[args[1]].token, static_cast<int>(Op::min));
  EXPECT_EQ(e.nodes[args[2]].value, 9);
  EXPECT_TRUE(e.args(args[0]).empty());
  EXPECT_EQ(e.length(), 8u);
  EXPECT_EQ(e.depth(), 3u);
}

TEST(ListOps, PrintsWhatItParses) {
  for (const char* text : {"3", "[MAX 2 9 [MIN 4 7 ] 0 ]", "[SM [SM [MED 1 ] 2 ] [MIN 5 [MAX 6 7 8 9 0 ] ] ]"}) {
    EXPECT_EQ(to_text(parse(text)), text);
    EXPECT_EQ(parse(to_text(parse(text), Form::binarised)), parse(text));
  }
  const char* published = "( ( ( ( [MAX 5 ) ( ( ( [MAX 4 ) ( ( ( [MAX 0 ) 9 ) ] ) ) ] ) ) 0 ) ] )";
  EXPECT_EQ(to_text(parse(published)), "[MAX 5 [MAX 4 [MAX 0 9 ] ] 0 ]");
  EXPECT_EQ(to_text(parse(published), Form::binarised), published);
}

TEST(ListOps, BinarisesToTheLeft) {
  const BinaryTree tree = binarise(parse("[MAX 2 [MIN 4 7 ] ]"));
  const auto names = vocabulary();
  std::vector<std::string> text;
  for (const auto& node : tree.nodes) {
    text.push_back(node.is_leaf() ? std::string(names[static_cast<size_t>(node.token)])
                                  : "(" + text[node.left] + " " + text[node.right] + ")");
  }
  EXPECT_EQ(text.back(), "((([MAX 2) ((([MIN 4) 7) ])) ])");
  EXPECT_EQ(tree.value(), 4);
  std::map<std::string, int> values;
  for (size_t i = 0; i < text.size(); ++i) values[text[i]] = tree.nodes[i].value;
  EXPECT_EQ(values["((([MIN 4) 7) ])"], 4);
  EXPECT_EQ(values["([MIN 4)"], -1);  // still open
  EXPECT_EQ(values["7"], 7);
  EXPECT_EQ(values["]"], -1);
  const BinaryTree digit = binarise(parse("8"));
  ASSERT_EQ(digit.nodes.size(), 1u);
  EXPECT_TRUE(digit.nodes[0].is_leaf());
  EXPECT_EQ(digit.value(), 8);
}

TEST(ListOps, VocabularyNamesEveryToken) {
  const auto names = vocabulary();
  EXPECT_EQ(names.size(), 15u);
  EXPECT_EQ(names[9], "9");
  EXPECT_EQ(names[static_cast<size_t>(Op::max)], "[MAX");
  EXPECT_EQ(names[static_cast<size_t>(Op::sm)], "[SM");
  EXPECT_EQ(names[close_token], "]");
}

TEST(ListOps, ErrorsSayWhere) {
  EXPECT_EQ(message(""), "listops:1:1: no expression; expected a digit 0-9, [MAX, [MIN, [MED or [SM");
  EXPECT_EQ(message("[MAX 2 12 ]"),
            "listops:1:8: '12' is not a token; expected a digit 0-9, [MAX, [MIN, [MED, [SM or ]");
  EXPECT_EQ(message("[MAX 2\n  [AVG 1 ] ]"),
            "listops:2:3: '[AVG' is not a token; expected a digit 0-9, [MAX, [MIN, [MED, [SM or ]");
  EXPECT_EQ(message("abcdefghijklmnopqrstuvwxyz"),
            "listops:1:1: 'abcdefghijklmnopqrst…' is not a token; expected a digit 0-9, [MAX, [MIN, [MED, [SM or ]");
  EXPECT_EQ(message("]"), "listops:1:1: ']' without an open operator");
  EXPECT_EQ(message("[SM 3 [MIN ] ]"), "listops:1:12: '[MIN' at 1:7 has no arguments; expected at least 1");
  EXPECT_EQ(message("[SM 3 [MIN 4"), "listops:1:13: the text ends inside '[MIN' at 1:7; expected ]");
  EXPECT_EQ(message("[SM 3 ] 4"), "listops:1:9: '4' after the end of the expression; expected one expression");
  EXPECT_EQ(message("3 )"), "listops:1:3: ')' without a '('");
  EXPECT_EQ(message("( ( 3 )"), "listops:1:8: the text ends inside the '(' at 1:1; expected )");
}

TEST(ListOps, ReadsLabelledLines) {
  std::istringstream in("9\t( ( ( [MAX 9 ) 2 ) ] )\r\n\n[MIN 4 1 ]\n");
  const auto all = read(in, "train.tsv");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(to_text(all[0]), "[MAX 9 2 ]");
  EXPECT_EQ(all[1].value(), 1);
  EXPECT_EQ(read_message("3\t3\n4\t[MAX 9 2 ]\n"), "train.tsv:2:1: label 4 of an expression with value 9");
  EXPECT_EQ(read_message("x\t3\n"), "train.tsv:1:1: 'x' is not a label; expected a digit 0-9");
  EXPECT_EQ(read_message("3\t3\n9\t[MAX 9\n"), "train.tsv:2:9: the text ends inside '[MAX' at 2:3; expected ]");
}

TEST(ListOps, NestingIsLimitedByMemoryAlone) {
  const std::string text = nested(100'000);
  const Expression e = parse(text);
  EXPECT_EQ(e.value(), 7);
  EXPECT_EQ(evaluate(e), 7);
  EXPECT_EQ(e.depth(), 100'001u);
  EXPECT_EQ(to_text(e), text);
  EXPECT_EQ(parse(to_text(e, Form::binarised)), e);
  EXPECT_EQ(binarise(e).nodes.size(), 400'001u);
}

TEST(ListOps, PublishedLinesComeBackToTheByte) {
  const std::string path = test::data_file("listops/train_d20s_regenerated.tsv.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << test::no_data();
  Lines lines(path), same(path);
  size_t count = 0;
  for (Expression e; next(lines, e); ++count) {  // throws if a label is wrong
    ASSERT_TRUE(same.next());
    ASSERT_EQ(std::to_string(evaluate(e)) + "\t" + to_text(e, Form::binarised), same.line());
  }
  EXPECT_EQ(count, 90'000u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::listops
