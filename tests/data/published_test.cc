// The published files, if they are installed, have the published number of examples.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <espalier/data/arithmetic.h>
#include <espalier/data/conllu.h>
#include <espalier/data/logic.h>
#include <espalier/data/sentiment.h>
#include <espalier/data/sick.h>
#include <espalier/data/tagged.h>
#include <espalier/data/text.h>
#include "support/data_file.h"

namespace espalier::data {
namespace ESPALIER_FILE {

using test::data_file;

TEST(Published, Sentiment) {
  Vocabulary words;
  const std::string train = data_file("sst/train.txt"), dev = data_file("sst/dev.txt");
  std::ifstream train_file(train), dev_file(dev);
  if (!train_file || !dev_file) GTEST_SKIP() << test::no_data();
  const auto trees = sentiment::read(train_file, words, train);
  EXPECT_EQ(trees.size(), 8'544u);
  EXPECT_EQ(words.size(), 18'280);
  size_t leaves = 0, with_no_break_space = 0;
  for (const sentiment::Tree& tree : trees) {
    leaves += tree.leaves();
    for (const auto& node : tree.nodes)
      with_no_break_space += node.is_leaf() && words.word(node.word).find("\u00a0") != std::string::npos;
  }
  EXPECT_EQ(with_no_break_space, 3u);
  EXPECT_GT(words.find("-LRB-"), 0);
  EXPECT_EQ(leaves, 163'563u);
  EXPECT_EQ(sentiment::read(dev_file, words, dev).size(), 1'101u);
}

TEST(Published, WikiNer) {
  Vocabulary words, tags;
  const std::string train = data_file("wikiner/train.txt"), dev = data_file("wikiner/dev.txt");
  std::ifstream train_file(train), dev_file(dev);
  if (!train_file || !dev_file) GTEST_SKIP() << test::no_data();
  EXPECT_EQ(tagged::read(dev_file, words, tags, dev).size(), 1'696u);
  EXPECT_EQ(words.size(), 8'504);
  EXPECT_EQ(tags.size(), 5);
  EXPECT_EQ(tagged::read(train_file, words, tags, train).size(), 10'000u);
}

TEST(Published, Text) {
  std::ifstream file(data_file("text/train.txt"));
  if (!file) GTEST_SKIP() << test::no_data();
  Vocabulary words;
  size_t tokens = 0;
  const auto sentences = text::read(file, words);
  for (const text::Sentence& s : sentences) tokens += s.size();
  EXPECT_EQ(sentences.size(), 12'544u);
  EXPECT_EQ(tokens, 204'577u);
  EXPECT_EQ(words.size(), 19'674);
}

TEST(Published, UniversalDependencies) {
  if (!std::filesystem::exists(data_file("ud_english_ewt"))) GTEST_SKIP() << test::no_data();
  const auto check = [](const std::string& file, size_t sentences, size_t words, std::ptrdiff_t not_projective) {
    const auto read = conllu::read(data_file("ud_english_ewt/") + file);
    EXPECT_EQ(read.size(), sentences);
    size_t read_words = 0;
    for (const conllu::Sentence& s : read) read_words += s.size();
    EXPECT_EQ(read_words, words);
    EXPECT_EQ(std::count_if(read.begin(), read.end(), std::not_fn(conllu::is_projective)), not_projective);
  };
  check("en_ewt-ud-train.conllu.gz", 12'544, 204'577, 288);
  check("en_ewt-ud-dev.conllu", 2'001, 25'147, 31);
}

TEST(Published, Sick) {
  if (!std::filesystem::exists(data_file("sick"))) GTEST_SKIP() << test::no_data();
  Vocabulary words;
  EXPECT_EQ(sick::read(data_file("sick/train"), words).size(), 4'500u);
  EXPECT_EQ(sick::read(data_file("sick/dev"), words).size(), 500u);
}

// The reader checks every relation against truth tables.
TEST(Published, PropositionalLogic) {
  if (!std::filesystem::exists(data_file("propositional_logic"))) GTEST_SKIP() << test::no_data();
  size_t pairs = 0;
  for (size_t length = 0; length <= 12; ++length) {
    Lines lines(data_file("propositional_logic/train") + std::to_string(length) + ".gz");
    for (logic::Pair pair; logic::next(lines, pair); ++pairs) {
      const size_t longer = std::max(pair.left.operators(), pair.right.operators());
      ASSERT_TRUE(longer == length || (longer > length && length == 12)) << lines.number();
    }
  }
  EXPECT_EQ(pairs, 211'702u);
}

// The file is sorted by label: its last lines, taken as a test set, would have only one label.
TEST(Published, Arithmetic) {
  if (!std::filesystem::exists(data_file("arithmetic"))) GTEST_SKIP() << test::no_data();
  const auto all = arithmetic::read(data_file("arithmetic/simple7_100k.tsv.gz"));
  EXPECT_EQ(all.size(), 100'000u);
  EXPECT_TRUE(
      std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.value() < b.value(); }));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data
