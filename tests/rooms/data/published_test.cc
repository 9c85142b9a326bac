// The published files, where they are: as many examples as their authors say.
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <espalier/data/sentiment.h>
#include <espalier/data/tagged.h>
#include <espalier/data/text.h>

namespace espalier::data {
namespace {

const std::string folder = ESPALIER_SOURCE_DIR "/../shared/data/";

TEST(Published, Sentiment) {
  Vocabulary words;
  const std::string train = folder + "sst/train.txt", dev = folder + "sst/dev.txt";
  std::ifstream train_file(train), dev_file(dev);
  if (!train_file || !dev_file) GTEST_SKIP() << "skipped: no data";
  const auto trees = sentiment::read(train_file, words, train);
  EXPECT_EQ(trees.size(), 8'544u);
  EXPECT_EQ(words.size(), 18'280);
  size_t leaves = 0;
  for (const sentiment::Tree& tree : trees) leaves += tree.leaves();
  EXPECT_EQ(leaves, 163'563u);
  EXPECT_EQ(sentiment::read(dev_file, words, dev).size(), 1'101u);
}

TEST(Published, WikiNer) {
  Vocabulary words, tags;
  const std::string train = folder + "wikiner/train.txt", dev = folder + "wikiner/dev.txt";
  std::ifstream train_file(train), dev_file(dev);
  if (!train_file || !dev_file) GTEST_SKIP() << "skipped: no data";
  EXPECT_EQ(tagged::read(dev_file, words, tags, dev).size(), 1'696u);
  EXPECT_EQ(words.size(), 8'504);
  EXPECT_EQ(tags.size(), 5);
  EXPECT_EQ(tagged::read(train_file, words, tags, train).size(), 10'000u);
}

TEST(Published, Text) {
  std::ifstream file(folder + "text/train.txt");
  if (!file) GTEST_SKIP() << "skipped: no data";
  Vocabulary words;
  size_t tokens = 0;
  const auto sentences = text::read(file, words);
  for (const text::Sentence& s : sentences) tokens += s.size();
  EXPECT_EQ(sentences.size(), 12'544u);
  EXPECT_EQ(tokens, 204'577u);
  EXPECT_EQ(words.size(), 19'674);
}

}  // namespace
}  // namespace espalier::data
