// Bracketed trees of any arity: reading, writing, errors.
#include <espalier/data/treebank.h>

#include <sstream>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace espalier::data::treebank {
namespace ESPALIER_FILE {

std::vector<Tree> read_text(const std::string& text, Vocabulary& labels, Vocabulary& words) {
  std::istringstream in(text);
  return read({in, "wsj.mrg"}, labels, words);
}

TEST(Treebank, Reads) {
  Vocabulary labels, words;
  const auto trees =
      read_text("( (S (NP (DT The) (NN cat))\n     (VP (VBZ sleeps))\n     (-LRB- -LRB-)) )\n\n(2 8\u00a01\\/2)\n",
                labels, words);
  ASSERT_EQ(trees.size(), 2u);
  EXPECT_EQ(to_text(trees[0], labels, words), "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (-LRB- -LRB-))");
  EXPECT_EQ(to_text(trees[1], labels, words), "(2 8\u00a01\\/2)");
  const Tree& tree = trees[0];
  ASSERT_EQ(tree.nodes.size(), 7u);
  EXPECT_EQ(tree.children(tree.root()).size(), 3u);
  EXPECT_EQ(labels.word(tree.nodes[tree.children(tree.root())[1]].label), "VP");
  EXPECT_EQ(words.word(tree.nodes[0].word), "The");
  EXPECT_TRUE(read_text("\n", labels, words).empty());
}

TEST(Treebank, DeepTreesNeedNoStack) {
  constexpr size_t levels = 100'000;
  std::string text;
  for (size_t i = 0; i < levels; ++i) text += "(A ";
  text += "b" + std::string(levels, ')');
  Vocabulary labels, words;
  const auto trees = read_text(text, labels, words);
  ASSERT_EQ(trees.size(), 1u);
  EXPECT_EQ(to_text(trees[0], labels, words).size(), text.size());
}

TEST(Treebank, ErrorsSayWhere) {
  Vocabulary labels, words;
  const auto said = [&](const std::string& text) { return test::error_of([&] { read_text(text, labels, words); }); };
  EXPECT_EQ(said("\n(S (A b)\n(C d)"), "wsj.mrg:4:1: the file ends inside the tree that begins in line 2");
  EXPECT_EQ(said("(S\n  (A b) c)"), "wsj.mrg:2:9: 'c' next to other children; expected ( LABEL word )");
  EXPECT_EQ(said("(S\n  ((A b)))"), "wsj.mrg:2:3: the list has no label; expected a label after (");
  EXPECT_EQ(said("(S\n  (A))"), "wsj.mrg:2:3: the node has no children; expected a word or lists");
  EXPECT_EQ(said("(S a))"), "wsj.mrg:1:6: ')' without a '('");
  EXPECT_EQ(said("(S ())"), "wsj.mrg:1:5: the list is empty; expected a word or a list between ( and )");
  EXPECT_EQ(said("(S a) (S b)"), "wsj.mrg:1:7: '(' after the end; expected the end of the text");
  EXPECT_EQ(said("word"), "wsj.mrg:1:1: 'word' outside a tree; expected (");
  EXPECT_EQ(labels.size() + words.size(), 0);  // a rejected tree adds nothing
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::treebank
