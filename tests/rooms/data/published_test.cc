// The published files, where they are: as many examples as their authors say.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <espalier/data/conllu.h>
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

TEST(Published, UniversalDependencies) {
  if (!std::filesystem::exists(folder + "ud_english_ewt")) GTEST_SKIP() << "skipped: no data";
  const auto check = [](const std::string& file, size_t sentences, size_t words, std::ptrdiff_t not_projective) {
    const auto read = conllu::read(folder + "ud_english_ewt/" + file);
    EXPECT_EQ(read.size(), sentences);
    size_t read_words = 0;
    for (const conllu::Sentence& s : read) read_words += s.size();
    EXPECT_EQ(read_words, words);
    EXPECT_EQ(std::count_if(read.begin(), read.end(), std::not_fn(conllu::is_projective)), not_projective);
  };
  check("en_ewt-ud-train.conllu.gz", 12'544, 204'577, 288);
  check("en_ewt-ud-dev.conllu", 2'001, 25'147, 31);
}

}  // namespace
}  // namespace espalier::data
