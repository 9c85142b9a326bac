// Labelled trees: the three forms, binary trees, errors.
#include <espalier/data/labelled_tree.h>

#include <sstream>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace espalier::data::labelled_tree {
namespace ESPALIER_FILE {

struct Reading {
  Vocabulary labels, words;
  std::optional<Form> form;
  std::vector<Tree> trees;

  explicit Reading(const std::string& text, std::optional<Form> given = {}) : form(given) {
    std::istringstream in(text);
    trees = read({in, "trees.txt"}, form, labels, words);
  }
};

// The tree with labels, _ for none: (3 It (4 great)). A leaf with a label is in parentheses.
std::string shown(const Tree& tree, const Vocabulary& labels, const Vocabulary& words) {
  std::vector<std::string> texts;
  for (uint32_t i = 0; i <= tree.root(); ++i) {
    const Tree::Node& node = tree.nodes[i];
    std::string inside = node.is_leaf() ? " " + words.word(node.word) : "";
    for (const uint32_t child : tree.children(i)) inside += " " + texts[child];
    const bool is_bare = node.is_leaf() && node.label < 0;
    texts.push_back(is_bare ? inside.substr(1)
                            : "(" + (node.label < 0 ? std::string("_") : labels.word(node.label)) + inside + ")");
  }
  return texts.back();
}
std::string shown(const Reading& r, size_t i = 0) { return shown(r.trees.at(i), r.labels, r.words); }

TEST(LabelledTree, ReadsLabelsAtAllNodes) {
  const Reading r(
      "\n(3 (2 It) (4 (2 's) (4 great)))\r\n(pos It was great)\n(neg It (_ was\n  (not good)) )\n\n(2 word)\n");
  EXPECT_EQ(r.form, Form::labels);
  ASSERT_EQ(r.trees.size(), 4u);
  EXPECT_EQ(shown(r, 0), "(3 (2 It) (4 (2 's) (4 great)))");
  EXPECT_EQ(shown(r, 1), "(pos It was great)");
  EXPECT_EQ(shown(r, 2), "(neg It (_ was (not good)))");
  EXPECT_EQ(shown(r, 3), "(2 word)");
  EXPECT_EQ(r.trees[1].children(r.trees[1].root()).size(), 3u);
  EXPECT_EQ(r.trees[3].line, 7u);
  EXPECT_EQ(shown(Reading("(S (NP (N dogs)) (VP (V run)))")), "(S (NP (N dogs)) (VP (V run)))") << "unary nodes";
}

TEST(LabelledTree, ReadsLabelsOfRoots) {
  const Reading r("very good\t( ( It ) ( was great ) )\nbad\tawful\n-1\t( - ( 7 8 ) )\n");
  EXPECT_EQ(r.form, Form::root);
  EXPECT_EQ(shown(r, 0), "(very good It (_ was great))");
  EXPECT_EQ(shown(r, 1), "(bad awful)");
  EXPECT_EQ(shown(r, 2), "(-1 - (_ 7 8))");
  EXPECT_TRUE(r.words.find("It") >= 0 && r.words.find("-1") < 0);
}

TEST(LabelledTree, ReadsExpressionsOfAnyOperators) {
  const Reading r("9\t[MAX 2 9 [MIN 4 7 ] 0 ]\n9\t( ( ( [MAX 2 ) 9 ) ] )\n[SM 1 2 ]\n7\t7\n");
  EXPECT_EQ(r.form, Form::listops);
  EXPECT_EQ(shown(r, 0), "(9 [MAX 2 9 (4 [MIN 4 7 ]) 0 ])");
  EXPECT_EQ(shown(r, 1), "(9 [MAX 2 9 ])");
  EXPECT_EQ(shown(r, 2), "(3 [SM 1 2 ])") << "the value is the label";
  EXPECT_EQ(shown(r, 3), "(7 7)");
  const Reading other("3\t[FOO [MAX 1 2 ] x [BAR 4 ] ]\nodd\t[MAX 1 3 ]\n");
  EXPECT_EQ(shown(other, 0), "(3 [FOO (2 [MAX 1 2 ]) x (_ [BAR 4 ]) ])");
  EXPECT_EQ(shown(other, 1), "(odd [MAX 1 3 ])") << "the label is not a value";
}

TEST(LabelledTree, TheFirstLineTellsTheForm) {
  EXPECT_EQ(form_of("(3 (2 It) (4 great))"), Form::labels);
  EXPECT_EQ(form_of("(3\t(2 It) (4 great))"), Form::labels);
  EXPECT_EQ(form_of("pos\t( ( It ) great )"), Form::root);
  EXPECT_EQ(form_of("pos\t( [sic] great )"), Form::root);
  EXPECT_EQ(form_of("9\t[MAX 1 9 ]"), Form::listops);
  EXPECT_EQ(form_of("9\t( ( [FOO 1 ) ] )"), Form::listops);
  EXPECT_EQ(form_of("[MAX\t1 9 ]"), Form::listops);
}

TEST(LabelledTree, ParsesWithoutLabels) {
  Vocabulary labels, words;
  const auto parsed = [&](const std::string& text, Form form) {
    return shown(parse(text, form, labels, words), labels, words);
  };
  EXPECT_EQ(parsed("(_ (_ It) (_ was great))", Form::labels), "(_ It (_ was great))");
  EXPECT_EQ(parsed("( ( It ) ( was great ) )", Form::root), "(_ It (_ was great))");
  EXPECT_EQ(parsed("pos\t( ( It ) ( was great ) )", Form::root), "(pos It (_ was great))");
  EXPECT_EQ(parsed("7\t[MAX 1 2 ]", Form::listops), "(2 [MAX 1 2 ])") << "the given label is ignored";
  EXPECT_EQ(parsed("[FOO 1 2 ]", Form::listops), "(_ [FOO 1 2 ])");
}

// The binary tree in parentheses, with the label behind a colon.
std::string binary(const std::string& text, int unary) {
  const Reading r(text, Form::labels);
  const BinaryTree tree = binarise(r.trees.at(0), unary);
  std::vector<std::string> texts;
  for (size_t i = 0; i < tree.tree.nodes.size(); ++i) {
    const auto& node = tree.tree.nodes[i];
    const int label = tree.labels[i];
    std::string part = node.is_leaf() ? node.leaf == unary ? "*" : r.words.word(node.leaf)
                                      : "(" + texts[node.left] + " " + texts[node.right] + ")";
    if (label >= 0) part += ":" + r.labels.word(label);
    texts.push_back(part);
  }
  return texts.back();
}

TEST(LabelledTree, BinaryTreesJoinFromTheLeft) {
  EXPECT_EQ(binary("(S a (B b) c d)", 99), "(((a b:B) c) d):S");
  EXPECT_EQ(binary("(S (A (B b c)))", 99), "(((b c):B *):A *):S") << "unary nodes join a marker";
  EXPECT_EQ(binary("(S (A (B b c)))", -1), "(b c):S") << "or are left out";
  EXPECT_EQ(binary("(S a)", 99), "a:S");
}

TEST(LabelledTree, DeepTreesNeedNoStack) {
  constexpr size_t levels = 100'000;
  std::string text, list;
  for (size_t i = 0; i < levels; ++i) text += "(A a ", list += "[MAX 1 ";
  for (size_t i = 0; i < levels; ++i) list += "] ";
  const Reading r(text + "b" + std::string(levels, ')')), lists(list);
  EXPECT_EQ(r.trees.at(0).nodes.size(), 2 * levels + 1);
  EXPECT_EQ(binarise(r.trees.at(0)).tree.nodes.size(), 2 * levels + 1);
  EXPECT_EQ(lists.labels.word(lists.trees.at(0).nodes.back().label), "1");
}

TEST(LabelledTree, ErrorsSayWhere) {
  const auto said = [&](const std::string& text, std::optional<Form> form = {}) {
    return test::error_of([&] { Reading(text, form); });
  };
  EXPECT_EQ(said("\n(3 (2 a)\n"), "trees.txt:3:1: the file ends inside the tree that begins in line 2");
  EXPECT_EQ(said("(3 a))"), "trees.txt:1:6: ')' without a '('");
  EXPECT_EQ(said("(3 (2 a)\n  ())"), "trees.txt:2:4: the list is empty; expected a word or a list between ( and )");
  EXPECT_EQ(said("(3 (2 a)\n  ((2 b)))"),
            "trees.txt:2:3: the list has no label; expected a label after (, or _ for no label");
  EXPECT_EQ(said("(3 a (2))"), "trees.txt:1:6: the node has no children; expected a word or lists after its label");
  EXPECT_EQ(said("(3 a) (2 b)"), "trees.txt:1:7: '(' after the end; expected the end of the text");
  EXPECT_EQ(said("(3 a)\n  (_ a b)"), "trees.txt:2:3: the root has no label; expected a label after (");
  EXPECT_EQ(said("word"), "trees.txt:1:1: 'word' outside a tree; expected (");
  EXPECT_EQ(said("pos\t( a b )\n( a b )"), "trees.txt:2:1: the tree has no label; expected LABEL, a tab and a tree");
  EXPECT_EQ(said("pos\t( a b )\nneg\t "), "trees.txt:2:5: the tree is missing; expected LABEL, a tab and a tree");
  EXPECT_EQ(said("pos\t( a ( b )"), "trees.txt:1:14: the text ends inside the '(' at column 5; expected )");
  EXPECT_EQ(said("pos\tIt was"), "trees.txt:1:8: 'was' after the end; expected the end of the text");
  EXPECT_EQ(said("3\t[MAX 2 9 ]"), "trees.txt:1:1: label 3 of an expression with value 9");
  EXPECT_EQ(said("3\t[FOO 2\n"), "trees.txt:1:9: the text ends inside '[FOO' at 1:3; expected ]");
  EXPECT_EQ(said("3\t[FOO ]\n"), "trees.txt:1:8: '[FOO' at 1:3 has no arguments; expected at least 1");
  EXPECT_EQ(said("3\t[FOO 1 ] ]\n"), "trees.txt:1:12: ']' without an open operator");
  EXPECT_EQ(said("3\t[FOO 1 ] 2\n"), "trees.txt:1:12: '2' after the end of the expression; expected one expression");
  EXPECT_EQ(said("3\t( [FOO 1 ]\n"), "trees.txt:1:13: the text ends inside the '(' at 1:3; expected )");
  EXPECT_EQ(said("3\t[FOO 1 ] )\n"), "trees.txt:1:12: ')' without a '('");
  EXPECT_EQ(said("[FOO 1 ]\n"),
            "trees.txt:1:1: the value of the expression is unknown; expected LABEL, a tab and the expression");
}

TEST(LabelledTree, ARejectedTreeAddsNothingAndClosedLabelsAreAll) {
  Vocabulary labels, words;
  std::optional<Form> form;
  const auto read_text = [&](const std::string& text) {
    std::istringstream in(text);
    return test::error_of([&] { read({in, "trees.txt"}, form, labels, words); });
  };
  EXPECT_NE(read_text("(3 (2 a) ((2 b)))"), "no error");
  EXPECT_EQ(labels.size() + words.size(), 0);
  labels.add("yes");
  labels.add("no");
  labels.close();
  EXPECT_EQ(read_text("(yes a)\n(no (_ a) (maybe b))"),
            "trees.txt:2:12: 'maybe' is not a label; expected one of yes, no");
  EXPECT_EQ(words.size(), 1);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::labelled_tree
