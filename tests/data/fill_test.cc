// fill(): sets the rows of words that have a vector, and no others.
#include <espalier/data/fill.h>
#include <espalier/data/vocabulary.h>
#include <espalier/data/word_vectors.h>

#include <fstream>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/data/sentiment.h>
#include <espalier/nn/modules.h>

#include "io/folder.h"
#include "support/data_file.h"

namespace espalier::data {
namespace ESPALIER_FILE {

data::word_vectors::Table vectors(const std::string& text) {
  const io::Folder folder;
  io::put_bytes(folder / "v", text);
  return data::word_vectors::read(folder / "v");
}

TEST(Fill, RowsOfWordsThatHaveAVector) {
  data::Vocabulary words;
  for (const char* word : {"The", "cat", "unseen"}) words.add(word);
  Parameters params;
  const nn::Embedding table(params / "words", 4, 2, init::constant(9));
  const auto read = vectors("the 1 2\ncat 3 4\nCat 5 6\n");
  const Filled exact = fill(table.weight, words, read);
  EXPECT_EQ(exact.words, 1);
  EXPECT_EQ(table.weight.value().to_vector(), (std::vector<float>{9, 9, 3, 4, 9, 9, 9, 9}));
  const Filled lower = fill(table.weight, words, read, true);
  EXPECT_EQ(lower.words, 2);
  EXPECT_EQ(lower.lower_case, 1);
  EXPECT_EQ(table.weight.value().to_vector(), (std::vector<float>{1, 2, 3, 4, 9, 9, 9, 9}));
}

TEST(Fill, TheTableMustFit) {
  data::Vocabulary words;
  for (const char* word : {"a", "b", "c"}) words.add(word);
  Parameters params;
  const Lookup narrow = (params / "narrow").add_lookup("weight", 3, {1}),
               few = (params / "few").add_lookup("weight", 2, {2});
  const auto read = vectors("a 1 2\n");
  EXPECT_EQ(io::message<ShapeError>([&] { fill(narrow, words, read); }),
            "fill: narrow.weight[3,1] does not fit vectors of size 2 for 3 words; it must be [n,2] with n at least 3");
  EXPECT_EQ(io::message<ShapeError>([&] { fill(few, words, read); }),
            "fill: few.weight[2,2] does not fit vectors of size 2 for 3 words; it must be [n,2] with n at least 3");
}

// Published vectors for the words of the Stanford Sentiment Treebank.
TEST(Fill, GloVeOfSentiment) {
  const std::string glove = test::data_file("glove/glove.6B.300d.sst.txt.gz");
  std::ifstream trees(test::data_file("sst/train.txt"));
  if (!trees || !std::ifstream(glove)) GTEST_SKIP() << test::no_data();
  data::Vocabulary words;
  data::sentiment::read(trees, words);
  const auto read = data::word_vectors::read(glove, {&words});
  EXPECT_EQ(read.columns, 300);
  EXPECT_EQ(read.rows, 17'774u);
  EXPECT_EQ(read.repeated, 0u);
  Parameters params;
  const nn::Embedding table(params / "words", words.size(), 300, init::constant(0));
  const Filled filled = fill(table.weight, words, read, true);
  EXPECT_EQ(filled.words, 16'974);  // of 18,280
  EXPECT_EQ(filled.lower_case, 4'190);
  const int the = words.find("The");
  EXPECT_EQ(table.weight.value()[static_cast<size_t>(the) * 300], 0.04656f);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data
