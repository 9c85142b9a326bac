// Tagged sentences and plain text: reading, errors, generation.
#include <espalier/data/tagged.h>
#include <espalier/data/text.h>

#include <sstream>

#include <gtest/gtest.h>
#include <espalier/base/error.h>

namespace espalier::data {
namespace ESPALIER_FILE {

std::string message(const std::string& lines) {
  std::istringstream in(lines);
  Vocabulary words, tags;
  try {
    tagged::read(in, words, tags, "dev.txt");
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

// The fraction of the words of a text that occur at most 5 times in it.
double rare_share(const Vocabulary& words) {
  double rare = 0, all = 0;
  for (int w = 0; w < words.size(); ++w) {
    all += static_cast<double>(words.count(w));
    if (words.count(w) <= 5) rare += static_cast<double>(words.count(w));
  }
  return rare / all;
}

TEST(Tagged, Reads) {
  std::istringstream in("The|O Mad|I-ORG  a|b|O\r\n\nThe|I-ORG\n");
  Vocabulary words, tags;
  const auto sentences = tagged::read(in, words, tags);
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[0], (tagged::Sentence{{0, 0}, {1, 1}, {2, 0}}));
  EXPECT_EQ(sentences[1], (tagged::Sentence{{0, 1}}));
  EXPECT_EQ(words.word(2), "a|b");
  EXPECT_EQ(words.count(0), 2u);
  EXPECT_EQ(tags.word(1), "I-ORG");
}

TEST(Tagged, ARefusedLineAddsNoWords) {
  std::istringstream in("a|O b|O\nc|X d\n");
  Vocabulary words, tags;
  Lines lines(in);
  tagged::Sentence sentence;
  ASSERT_TRUE(tagged::next(lines, sentence, words, tags));
  EXPECT_THROW(tagged::next(lines, sentence, words, tags), DataError);
  EXPECT_EQ(words.size(), 2);
  EXPECT_EQ(tags.size(), 1);
}

TEST(Tagged, ErrorsSayWhere) {
  EXPECT_EQ(message("a|O\nb|O word c|O"), "dev.txt:2:5: 'word' has no tag; expected word|tag");
  EXPECT_EQ(message("a|O |O"), "dev.txt:1:5: '|O' has no word; expected word|tag");
  EXPECT_EQ(message("a|"), "dev.txt:1:1: 'a|' has an empty tag; expected word|tag");
  EXPECT_EQ(message("abcdefghijklmnopqrstuvwxyz"),
            "dev.txt:1:1: 'abcdefghijklmnopqrst…' has no tag; expected word|tag");
}

TEST(Tagged, ErrorsAreTextWhateverTheBytes) {
  EXPECT_EQ(message("a\xff\x01\xc3\xa4"), "dev.txt:1:1: 'a\\xff\\x01ä' has no tag; expected word|tag");
  EXPECT_EQ(message("aääääääääääää"),
            "dev.txt:1:1: 'aäääääääää…' has no tag; expected word|tag");  // truncated between characters
}

// 1,696 sentences of WikiNER have 39,007 words, 8,504 distinct words and 5 tags; 31.8 % of the words occur at most 5
// times and have 6.8 bytes on average; 83.5 % have the most frequent tag.
TEST(TaggedGenerate, HasTheStatisticsOfWikiNer) {
  Vocabulary words, tags;
  const auto sentences = tagged::generate(1'696, 2, words, tags);
  ASSERT_EQ(sentences.size(), 1'696u);
  double tokens = 0, rare = 0, bytes = 0;
  for (const tagged::Sentence& s : sentences) {
    tokens += static_cast<double>(s.size());
    for (const tagged::Token& t : s)
      if (words.count(t.word) <= 5) {
        rare += 1;
        bytes += static_cast<double>(words.word(t.word).size());
      }
  }
  EXPECT_NEAR(tokens, 39'007, 1'500);
  EXPECT_NEAR(words.size(), 8'504, 400);
  EXPECT_NEAR(rare_share(words), 0.318, 0.02);
  EXPECT_NEAR(bytes / rare, 6.8, 0.3);
  ASSERT_EQ(tags.size(), 5);
  EXPECT_NEAR(static_cast<double>(tags.count(tags.find("O"))) / tokens, 0.835, 0.03);
  Vocabulary again, tags_again;
  EXPECT_EQ(tagged::generate(1'696, 2, again, tags_again), sentences);
}

TEST(Text, Reads) {
  std::istringstream in("a b  a\r\n\n8\u00a01 b\n");
  Vocabulary words;
  const auto sentences = text::read(in, words);
  EXPECT_EQ(sentences, (std::vector<text::Sentence>{{0, 1, 0}, {2, 1}}));
  EXPECT_EQ(words.word(2), "8\u00a01");
  EXPECT_EQ(words.by_count(), (std::vector<int>{0, 1, 2}));
}

// The training set of the English Web Treebank: 12,544 sentences, 204,577 words, 19,674 distinct words.
TEST(TextGenerate, HasTheStatisticsOfTheTreebank) {
  Vocabulary words;
  double tokens = 0;
  for (const text::Sentence& s : text::generate(12'544, 2, words)) tokens += static_cast<double>(s.size());
  EXPECT_NEAR(tokens, 204'577, 4'000);
  EXPECT_NEAR(words.size(), 19'674, 600);
  EXPECT_NEAR(rare_share(words), 0.137, 0.04);
}

TEST(Vocabulary, NumbersCountsAndSorts) {
  Vocabulary v;
  EXPECT_EQ(v.add("b"), 0);
  EXPECT_EQ(v.add("a"), 1);
  EXPECT_EQ(v.add("c"), 2);
  EXPECT_EQ(v.add("c"), 2);
  EXPECT_EQ(v.find("a"), 1);
  EXPECT_EQ(v.find("d"), -1);
  EXPECT_EQ(v.size(), 3);
  EXPECT_EQ(v.by_count(), (std::vector<int>{2, 0, 1}));
}

TEST(Vocabulary, ClosedStaysAsItIs) {
  Vocabulary v;
  v.add("a");
  v.add("b");
  v.close();
  EXPECT_EQ(text::parse("b new a other", v), (text::Sentence{1, 2, 0, 2}));
  EXPECT_EQ(v.size(), 2);
  EXPECT_EQ(v.count(0), 1u);
  EXPECT_EQ(v.find("new"), -1);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data
