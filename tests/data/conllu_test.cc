// CoNLL-U: reading, skipped lines, errors, and projective trees.
#include <espalier/data/conllu.h>

#include <sstream>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace espalier::data::conllu {
namespace ESPALIER_FILE {

using test::error_of;

std::vector<Sentence> read_text(const std::string& text) {
  std::istringstream in(text);
  return read({in, "dev.conllu"});
}

// A line of the file, with _ in unused columns.
std::string line(const std::string& id, const std::string& form, const std::string& head) {
  return id + "\t" + form + "\t_\tNOUN\tNN\t_\t" + head + "\tdep\t_\t_\n";
}

Sentence with_heads(const std::vector<int>& heads) {
  Sentence sentence;
  for (const int head : heads) sentence.push_back({"w", "_", "_", "_", "_", head});
  return sentence;
}

TEST(ConllU, Reads) {
  const auto sentences = read_text(
      "# sent_id = 1\n"
      "# text = Don't go\n"
      "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t_\t_\r\n"
      "2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
      "2.1\tnow\tnow\tADV\t_\t_\t_\t_\t3:advmod\t_\n"
      "3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No\n"
      "\n\n"
      "# the last one has no empty line after it\n" +
      line("1", "8\u00a01", "_"));
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[0], (Sentence{{"Do", "do", "AUX", "VB", "aux", 3},
                                    {"n't", "not", "PART", "RB", "advmod", 3},
                                    {"go", "go", "VERB", "VB", "root", 0}}));
  EXPECT_EQ(sentences[1], (Sentence{{"8\u00a01", "_", "NOUN", "NN", "dep", -1}}));
  EXPECT_TRUE(read_text("").empty());
  EXPECT_TRUE(read_text("# nothing\n\n").empty());
}

TEST(ConllU, ErrorsSayWhere) {
  const auto said = [](const std::string& text) { return error_of([&] { read_text(text); }); };
  const std::string one = line("1", "a", "0");
  EXPECT_EQ(said("# c\n1\ta\tb\n"), "dev.conllu:2:1: 3 columns; expected 10, separated by tabs");
  EXPECT_EQ(said(one.substr(0, one.size() - 1) + "\tmore\n"),
            "dev.conllu:1:1: 11 columns; expected 10, separated by tabs");
  EXPECT_EQ(said("1\t\t_\t_\t_\t_\t0\t_\t_\t_\n"), "dev.conllu:1:3: column 2 is empty; expected a value or _");
  EXPECT_EQ(said(one + line("3", "b", "1")), "dev.conllu:2:1: '3' is not the number of the next word; expected 2");
  EXPECT_EQ(said(one + line("2-x", "b", "1")), "dev.conllu:2:1: '2-x' is not the number of the next word; expected 2");
  EXPECT_EQ(said(line("1", "a", "root")), "dev.conllu:1:17: 'root' is not a head; expected a word number, 0 or _");
  EXPECT_EQ(said(line("1", "a", "-1")), "dev.conllu:1:17: '-1' is not a head; expected a word number, 0 or _");
  EXPECT_EQ(said(one + line("2", "b", "3")), "dev.conllu:2:17: head 3 of word 2 in a sentence of 2 words");
  EXPECT_EQ(said(one + line("2", "b", "_")),
            "dev.conllu:2:17: '_' after words with heads; expected heads for all words of a sentence, or for none");
  EXPECT_EQ(said(line("1", "a", "_") + line("2", "b", "1")),
            "dev.conllu:2:17: '1' after words without heads; expected heads for all words of a sentence, or for none");
  EXPECT_EQ(said(one + "\n" + line("1", "a", "2") + line("2", "bb", "3") + line("3", "c", "2")),
            "dev.conllu:4:18: word 2 is its own ancestor; the heads must form a tree");
  EXPECT_EQ(said(line("1", "a", "1")), "dev.conllu:1:17: word 1 is its own ancestor; the heads must form a tree");
  EXPECT_EQ(said(line("1-2", "ab", "_") + "\n"),
            "dev.conllu:2:1: the sentence has no words; expected a line that begins with 1");
}

TEST(ConllU, Projective) {
  EXPECT_TRUE(is_projective({}));
  EXPECT_TRUE(is_projective(with_heads({0})));
  EXPECT_TRUE(is_projective(with_heads({3, 1, 0, 5, 3})));
  EXPECT_FALSE(is_projective(with_heads({3, 4, 0, 3})));     // 1-3 and 2-4 cross
  EXPECT_FALSE(is_projective(with_heads({0, 4, 1, 1, 3})));  // 2-4 and 3-5 cross
  EXPECT_FALSE(is_projective(with_heads({3, 0, 2})));        // 1-3 crosses the arc to the root
  EXPECT_TRUE(is_projective(with_heads({0, 0, 2})));
}

TEST(ConllU, LongSentencesTakeLinearTime) {
  std::string text;
  constexpr int words = 50'000;
  for (int i = 1; i <= words; ++i) text += line(std::to_string(i), "w", std::to_string(i - 1));
  const auto sentences = read_text(text);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_TRUE(is_projective(sentences[0]));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::conllu
