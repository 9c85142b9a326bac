// SICK: pairs of trees from several files that must be consistent.
#include <espalier/data/sick.h>

#include <map>

#include <gtest/gtest.h>

#include "io/folder.h"
#include "support/error_of.h"

namespace espalier::data::sick {
namespace ESPALIER_FILE {

using test::error_of;
using Files = std::map<std::string, std::string>;

const Files valid{{"a.toks", "The kids play outdoors\nGo\n"},
                  {"a.parents", "2 3 0 3\n0\n"},
                  {"b.toks", "Nobody plays\nGo on\n"},
                  {"b.parents", "2 0\n0 1\n"},
                  {"sim.txt", "3.5\n1\n"}};

std::vector<Pair> read_files(Files files, const Files& others, Vocabulary& words) {
  const io::Folder folder;
  for (const auto& [name, text] : others) files[name] = text;
  for (const auto& [name, text] : files) io::put_bytes(folder / name, text);
  try {
    return read(folder / "", words);
  } catch (const DataError& e) {  // removes the folder from the message
    const std::string before = folder / "";
    std::string said = e.what();
    for (size_t at; (at = said.find(before)) != std::string::npos;) said.erase(at, before.size());
    throw DataError(said);
  }
}

TEST(Sick, Reads) {
  Vocabulary words;
  const auto pairs = read_files(valid, {}, words);
  ASSERT_EQ(pairs.size(), 2u);
  const Tree& tree = pairs[0].a;
  EXPECT_EQ(tree.nodes, (std::vector<Tree::Node>{{0, 1, 0, 0}, {1, 2, 0, 1}, {2, -1, 1, 2}, {3, 2, 3, 0}}));
  EXPECT_EQ(tree.lists, (std::vector<uint32_t>{0, 1, 3}));
  EXPECT_EQ(tree.order, (std::vector<uint32_t>{0, 3, 1, 2}));
  EXPECT_EQ(tree.root(), 2u);
  EXPECT_EQ(pairs[0].similarity, 3.5);
  EXPECT_EQ(pairs[1].b.nodes[0].word, pairs[1].a.nodes[0].word);
  EXPECT_EQ(words.size(), 8);
  Vocabulary again;
  EXPECT_EQ(parse("The kids play outdoors\t2 3 0 3\tNobody plays\t2 0\t3.5", again).a, tree);
  EXPECT_EQ(parse("The kids\t2 0\tNobody plays\t2 0", again).similarity, 0);
}

TEST(Sick, ErrorsSayWhere) {
  const auto said = [](const Files& others) {
    Vocabulary words;
    return error_of([&] { read_files(valid, others, words); });
  };
  EXPECT_EQ(said({{"b.toks", "Nobody plays\n"}}), "b.toks:2:1: the file has fewer lines than sim.txt");
  EXPECT_EQ(said({{"sim.txt", "3\n"}}), "sim.txt:2:1: the file has fewer lines than b.parents");
  EXPECT_EQ(said({{"a.parents", "2 3 0\n0\n"}}), "a.parents:1:1: 3 parents for 4 words");
  EXPECT_EQ(said({{"a.toks", "The kids play outdoors\n \n"}}), "a.toks:2:1: the line is empty; expected a sentence");
  EXPECT_EQ(said({{"a.parents", "2 3 0 5\n0\n"}}),
            "a.parents:1:7: '5' is not a parent; expected 0 … 4, the number of words");
  EXPECT_EQ(said({{"a.parents", "2 0 0 3\n0\n"}}), "a.parents:1:5: a second root after word 2; expected one root");
  EXPECT_EQ(said({{"b.parents", "2 1\n0 1\n"}}),
            "b.parents:1:1: word 1 is its own ancestor; the parents must form a tree");
  EXPECT_EQ(said({{"sim.txt", "3.5\n5.1\n"}}), "sim.txt:2:1: '5.1' is not a similarity; expected a number 1 … 5");
  EXPECT_EQ(said({{"sim.txt", "nan\n5\n"}}), "sim.txt:1:1: 'nan' is not a similarity; expected a number 1 … 5");
  Vocabulary words;
  EXPECT_EQ(error_of([&] { parse("a\t0", words); }),
            "sick:1:1: 2 columns; expected words, parents, words, parents, separated by tabs");
  EXPECT_EQ(error_of([&] { parse("a\t0\tb c\t0 3", words); }),
            "sick:1:11: '3' is not a parent; expected 0 … 2, the number of words");
  EXPECT_EQ(words.size(), 0);  // a rejected pair adds no words
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::data::sick
