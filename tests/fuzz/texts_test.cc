// Fuzzes all text readers of component `data`.
#include <zlib.h>

#include <sstream>

#include <gtest/gtest.h>
#include <espalier/data/arithmetic.h>
#include <espalier/data/conllu.h>
#include <espalier/data/labelled_tree.h>
#include <espalier/data/listops.h>
#include <espalier/data/logic.h>
#include <espalier/data/pack.h>
#include <espalier/data/sentiment.h>
#include <espalier/data/sick.h>
#include <espalier/data/tagged.h>
#include <espalier/data/text.h>
#include <espalier/data/treebank.h>
#include <espalier/data/vocabulary.h>
#include <espalier/data/word_vectors.h>

#include "io/folder.h"
#include "support/fuzz_reader.h"

namespace espalier::test {
namespace ESPALIER_FILE {

TEST(FuzzTexts, Sentiment) {
  fuzz({{"(3 (2 It) (4 (2 's) (4 great)))\n(1 (2 No) (1 (1 -LRB-) (2 x\\/y)))\n", "\n(2 word)\r\n"},
        {"(", ")", "(2 ", "(2 a)", "5", " ", "\n", "\t", "\r", "\xc2\xa0", "(2 (2 a) "},
        [](const std::string& bytes) {
          data::Vocabulary words;
          std::istringstream in(bytes);
          for (const auto& tree : data::sentiment::read(in, words))
            for (size_t i = 0; i < tree.nodes.size(); ++i) {
              const auto& node = tree.nodes[i];
              ASSERT_TRUE(node.is_leaf() ? node.word < words.size() : node.left < i && node.right < i);
            }
        }});
}

TEST(FuzzTexts, LabelledTrees) {
  fuzz({{"(pos It (_ was (not\n good)))\n(3 (2 word))\n", "pos\t( ( It ) ( was great ) )\nneg\tno\n",
         "9\t[MAX 2 9 [FOO 4 x ] ]\n[MIN 4 5 ]\n7\t( ( [SM 3 ) 4 ] )\n"},
        {"(", ")", "(_ ", "a", "\t", " ", "\n", "\r", "[MAX ", "[FOO ", "] ", "pos\t"},
        [](const std::string& bytes) {
          using namespace data::labelled_tree;
          data::Vocabulary labels, words;
          std::optional<Form> form;
          std::istringstream in(bytes);
          for (const Tree& tree : read({in}, form, labels, words)) {
            ASSERT_TRUE(tree.nodes.back().label >= 0);
            for (uint32_t i = 0; i <= tree.root(); ++i) {
              const Tree::Node& node = tree.nodes[i];
              ASSERT_TRUE(node.is_leaf() ? node.word < words.size() : node.count > 0);
              ASSERT_TRUE(node.label < labels.size());
              for (const uint32_t child : tree.children(i)) ASSERT_LT(child, i);
            }
            const BinaryTree binary = binarise(tree);
            ASSERT_TRUE(binary.labels.back() == tree.nodes.back().label);
          }
        }});
}

TEST(FuzzTexts, Tagged) {
  fuzz({{"Espalier|I-ORG grows|O .|O\n\nIn|O the|O garden|I-LOC\n"},
        {"|", "||", "|O", " ", "\n", "a|", "\r", "\t"},
        [](const std::string& bytes) {
          data::Vocabulary words, tags;
          std::istringstream in(bytes);
          for (const auto& sentence : data::tagged::read(in, words, tags))
            for (const auto& token : sentence) ASSERT_TRUE(token.word < words.size() && token.tag < tags.size());
        }});
}

TEST(FuzzTexts, ListOps) {
  fuzz({{"9\t[MAX 2 9 [MIN 4 7 ] 0 ]\n4\t( ( ( [MED 4 ) 5 ) ] )\n", "[SM 1 [MED 9 8 ] ]\n7\n"},
        {"[MAX ", "[MIN ", "[MED ", "[SM ", "] ", "( ", ") ", "7 ", "\t", "\n"},
        [](const std::string& bytes) {
          std::istringstream in(bytes);
          using namespace data::listops;
          for (const Expression& e : data::listops::read(in)) {
            ASSERT_EQ(parse(to_text(e)), e);
            ASSERT_EQ(parse(to_text(e, Form::binarised)), e);
          }
        }});
}

TEST(FuzzTexts, Text) {
  fuzz({{"one two\n\nthree  one\n"},
        {" ", "\n", "\t", "word"},
        [](const std::string& bytes) {
          data::Vocabulary words;
          std::istringstream in(bytes);
          for (const auto& sentence : data::text::read(in, words))
            for (const int word : sentence) ASSERT_LT(word, words.size());
        },
        true});
}

TEST(FuzzTexts, ConllU) {
  const std::string rest = "\t_\tNOUN\tNN\t_\t";
  fuzz({{"# c\n1-2\tab" + rest + "_\t_\t_\t_\n1\ta" + rest + "2\tdep\t_\t_\n1.1\tx" + rest + "_\t_\t_\t_\n2\tb" + rest +
             "0\troot\t_\t_\n\n",
         "1\ta" + rest + "_\t_\t_\t_\n"},
        {"\t", "\n", "\n\n", "_", "0", "1", "2", "#", "-", ".", "1\ta" + rest + "0\tdep\t_\t_\n"},
        [](const std::string& bytes) {
          std::istringstream in(bytes);
          for (const auto& sentence : data::conllu::read(in)) {
            data::conllu::is_projective(sentence);
            for (const auto& word : sentence) ASSERT_LE(word.head, static_cast<int>(sentence.size()));
          }
        }});
}

TEST(FuzzTexts, Arithmetic) {
  fuzz({{"-10\t( + ( ( - ( 7 8 ) ) -9 ) )\n0\t0\n", "1 - 2*(3+4) -(5 - -6)\n"},
        {"( ", ") ", "+ ", "- ", "* ", "7 ", "-10 ", "\t", "\n", "( + ( 1 ", "1 - (", " ) )"},
        [](const std::string& bytes) {
          std::istringstream in(bytes);
          using namespace data::arithmetic;
          for (const Expression& e : data::arithmetic::read(in)) {
            ASSERT_EQ(parse(to_text(e)), e);
            ASSERT_EQ(parse(to_text(e, Form::infix)), e);
            ASSERT_EQ(binarise(e).nodes.size() % 2, 1u);
          }
        }});
}

TEST(FuzzTexts, Treebank) {
  fuzz({{"( (S (NP (DT The) (NN cat))\n (VP (VBZ sleeps))) )\n\n(2 word)\n"},
        {"(", ")", "(A ", "(A b)", "\n", " ", "\xc2\xa0"},
        [](const std::string& bytes) {
          data::Vocabulary labels, words;
          std::istringstream in(bytes);
          for (const auto& tree : data::treebank::read(in, labels, words)) {
            std::istringstream again(data::treebank::to_text(tree, labels, words));
            ASSERT_EQ(data::treebank::read(again, labels, words), std::vector{tree});
          }
        }});
}

TEST(FuzzTexts, Logic) {
  fuzz({{"^\t( not c )\tc\n#\tb\t( c ( or f ) )\n", "( ( not a ) ( and ( b ( or c ) ) ) )\ta\n"},
        {"( ", ") ", "not ", "and ", "or ", "a ", "\t", "\n", "( not ", "( a ( and ", "=", "< "},
        [](const std::string& bytes) {
          std::istringstream in(bytes);
          using namespace data::logic;
          for (const Pair& pair : data::logic::read(in)) {
            ASSERT_EQ(parse(to_text(pair.left) + "\t" + to_text(pair.right)), pair);
            ASSERT_EQ(binarise(pair.left).nodes.size() % 2, 1u);
          }
        }});
}

TEST(FuzzTexts, Sick) {
  fuzz({{"The kids play outdoors\t2 3 0 3\tNobody plays\t2 0\t3.5", "a\t0\tb c\t0 1"},
        {"\t", " ", "0", "1 ", "2 ", "word ", "5", "nan", "-"},
        [](const std::string& bytes) {
          data::Vocabulary words;
          const auto pair = data::sick::parse(bytes, words);
          for (const auto* tree : {&pair.a, &pair.b}) {
            ASSERT_EQ(tree->order.size(), tree->nodes.size());
            ASSERT_EQ(tree->lists.size() + 1, tree->nodes.size());
            std::vector<bool> met(tree->nodes.size());
            for (const uint32_t i : tree->order) {
              for (const uint32_t child : tree->children(i)) ASSERT_TRUE(met[child]);
              met[i] = true;
            }
          }
        }});
}

const Strings packed_pieces{"\\", "\\x", "\\xc3", "\\n", "\t", "\n", "1\t", "18446744073709551616"};

TEST(FuzzTexts, PackedWords) {
  fuzz({{"yes\nno\n\na\\\\b\\n\\xff\n"}, packed_pieces, [](const std::string& bytes) {
          const Strings words = data::unpack_words(bytes);
          ASSERT_EQ(data::unpack_words(data::pack(words)), words);
        }});
}

TEST(FuzzTexts, PackedVocabulary) {
  fuzz({{"2\tthe\n1\ta\\\\b\\n\\xff\n"}, packed_pieces, [](const std::string& bytes) {
          const std::string again = data::pack(data::unpack_vocabulary(bytes));
          ASSERT_EQ(data::pack(data::unpack_vocabulary(again)), again);
        }});
}

void read_vectors(const std::string& bytes) {
  static io::FileInMemory file;
  file.put(bytes);
  data::Vocabulary some;
  some.add("The");
  for (const data::Vocabulary* only : {static_cast<const data::Vocabulary*>(nullptr), &std::as_const(some)}) {
    const auto table = data::word_vectors::read(file.path(), {only});
    ASSERT_EQ(table.numbers.size(), static_cast<size_t>(table.words.size()) * static_cast<size_t>(table.columns));
    ASSERT_EQ(table.find("the").empty(), table.words.find("the") < 0);
  }
}

const Strings vectors{"the 0.5 -1\n. . 1 2e-3\nof 1 2\n", "2 3\nthe 1 2 3 \nder 4 5 6 \n"};

TEST(FuzzTexts, WordVectors) {
  fuzz({vectors, {" ", "\n", "\t", "\r", "nan", "1e999", "-", "0.5 ", "the ", "3 4\n"}, read_vectors});
}

TEST(FuzzTexts, Gzip) {
  Strings packed_vectors;
  for (const std::string& plain : vectors)
    packed_vectors.push_back(written([&](const std::string& path) {
      gzFile file = gzopen(path.c_str(), "wb");
      gzwrite(file, plain.data(), static_cast<unsigned>(plain.size()));
      gzclose(file);
    }));
  fuzz({packed_vectors, {"\x1f\x8b", "\x1f\x8b\x08\x00", std::string(4, '\0'), "\xff"}, read_vectors});
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
