// Sentiment trees: reading, errors, generation.
#include <espalier/data/sentiment.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <espalier/base/error.h>

#include "support/error_of.h"

namespace espalier::data::sentiment {
namespace ESPALIER_FILE {

std::string message(const std::string& lines) {
  std::istringstream in(lines);
  Vocabulary words;
  try {
    read(in, words, "train.txt");
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<size_t> heights(const Tree& tree) {
  std::vector<size_t> height;
  for (const Tree::Node& n : tree.nodes)
    height.push_back(n.is_leaf() ? 0 : 1 + std::max(height.at(n.left), height.at(n.right)));
  return height;
}

TEST(Sentiment, Reads) {
  std::istringstream in("(3 (2 It) (4 (2 's) (4 great)))\r\n\n(2 It)\n");
  Vocabulary words;
  const auto trees = read(in, words);
  ASSERT_EQ(trees.size(), 2u);
  const std::vector<Tree::Node> expected{{0, 2, 0, 0}, {1, 2, 0, 0}, {2, 4, 0, 0}, {-1, 4, 1, 2}, {-1, 3, 0, 3}};
  EXPECT_EQ(trees[0].nodes, expected);
  EXPECT_EQ(trees[0].leaves(), 3u);
  EXPECT_EQ(trees[1].nodes, (std::vector<Tree::Node>{{0, 2, 0, 0}}));
  EXPECT_EQ(words.size(), 3);
  EXPECT_EQ(words.word(1), "'s");
  EXPECT_EQ(words.count(0), 2u);
}

TEST(Sentiment, OnlyAsciiBlanksSeparate) {
  std::istringstream in("(2 (2 8\u00a01\\/2) (2 -LRB-))\n");
  Vocabulary words;
  ASSERT_EQ(read(in, words).size(), 1u);
  EXPECT_EQ(words.word(0), "8\u00a01\\/2");
  EXPECT_EQ(words.word(1), "-LRB-");
}

TEST(Sentiment, DeepTreesNeedNoStack) {
  constexpr size_t levels = 200'000;
  std::string line;
  for (size_t i = 0; i < levels; ++i) line += "(2 (1 a) ";
  line += "(0 b)" + std::string(levels, ')');
  std::istringstream in(line);
  Vocabulary words;
  const auto trees = read(in, words);
  ASSERT_EQ(trees.size(), 1u);
  EXPECT_EQ(heights(trees[0]).back(), levels);
}

TEST(Sentiment, ParsesALine) {
  Vocabulary words;
  EXPECT_EQ(parse("(2 (2 a) (3 b))", words).nodes.size(), 3u);
  const auto said = [&](const char* line) { return test::error_of([&] { parse(line, words); }); };
  EXPECT_EQ(said(""), "sentiment:1:1: the line is empty; expected (");
  EXPECT_EQ(said("(2 (2 c) (7 d))"), "sentiment:1:11: '7' is not a label; expected a digit 0-4");
  EXPECT_EQ(words.size(), 2);  // a rejected line adds no words
}

TEST(Sentiment, ErrorsSayWhere) {
  EXPECT_EQ(message("(2 a)\n(5 b)\n"), "train.txt:2:2: '5' is not a label; expected a digit 0-4");
  EXPECT_EQ(message("(2 (2 a) (2 b)"), "train.txt:1:15: the line ends inside the '(' at column 1; expected )");
  EXPECT_EQ(message("(2 a))"), "train.txt:1:6: ')' without a '('");
  EXPECT_EQ(message("(2 a) (2 b)"), "train.txt:1:7: '(' after the end of the tree; expected one tree per line");
  EXPECT_EQ(message("(2 (2 a))"), "train.txt:1:9: a node of 1 children; expected a word or two children");
  EXPECT_EQ(message("(2)"), "train.txt:1:3: a node of 0 children; expected a word or two children");
  EXPECT_EQ(message("(2 (2 a) (2 b) (2 c))"), "train.txt:1:16: a third child; expected ) after two");
  EXPECT_EQ(message("(2 a b)"), "train.txt:1:6: 'b' after a child; expected ( or )");
  EXPECT_EQ(message("(2 a (2 b))"), "train.txt:1:6: '(' after a word; expected )");
  EXPECT_EQ(message("word"), "train.txt:1:1: 'word' outside a tree; expected (");
}

TEST(SentimentGenerate, FollowsFromTheSeed) {
  const auto a = generate(100, 7), longer = generate(150, 7);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), longer.begin()));
  EXPECT_NE(a, generate(100, 8));
}

// The training file has 19.1 leaves and 9.8 levels per tree; 86 % of the leaves and 51 % of the inner nodes have label
// 2; 51 % of the words of 64 trees are distinct.
TEST(SentimentGenerate, HasTheStatisticsOfTheFile) {
  const auto trees = generate(6'400, 3);
  double leaves = 0, depth = 0, neutral_leaves = 0, neutral_inner = 0, different = 0;
  std::set<int> words;
  for (size_t i = 0; i < trees.size(); ++i) {
    leaves += static_cast<double>(trees[i].leaves());
    depth += static_cast<double>(heights(trees[i]).back());
    for (const Tree::Node& n : trees[i].nodes) {
      (n.is_leaf() ? neutral_leaves : neutral_inner) += n.label == 2;
      if (n.is_leaf()) {
        EXPECT_LT(n.word, generated_words);
        words.insert(n.word);
      }
    }
    if (i % 64 == 63) {
      different += static_cast<double>(words.size());
      words.clear();
    }
  }
  const auto n = static_cast<double>(trees.size());
  EXPECT_NEAR(leaves / n, 19.1, 0.4);
  EXPECT_NEAR(depth / n, 9.8, 0.2);
  EXPECT_NEAR(neutral_leaves / leaves, 0.86, 0.01);
  EXPECT_NEAR(neutral_inner / (leaves - n), 0.51, 0.01);
  EXPECT_NEAR(different / leaves, 0.51, 0.02);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::sentiment
