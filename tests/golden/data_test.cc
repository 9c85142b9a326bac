// espalier data make: the output can be read back, and depends only on the seed.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>
#include <espalier/data/arithmetic.h>
#include <espalier/data/binary_tree.h>
#include <espalier/data/listops.h>
#include <espalier/data/logic.h>
#include <espalier/data/sentiment.h>
#include <espalier/data/synthetic/marked.h>
#include <espalier/data/tagged.h>
#include <espalier/data/text.h>
#include <espalier/data/treebank.h>
#include <espalier/data/vocabulary.h>
#include <espalier/text/lines.h>

#include "golden/program.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

std::string written(const std::string& kind, const std::string& seed = "1") {
  const Ran r = run({"data", "make", kind, "--count", "40", "--seed", seed});
  EXPECT_EQ(r.status, 0) << kind;
  EXPECT_EQ(r.err, "") << kind;
  return r.out;
}

TEST(Data, FollowsFromItsSeed) {
  for (const std::string kind : {"listops", "arithmetic", "entailment", "calculator", "language-id", "fizz-buzz",
                                 "images", "addition", "multiplication", "trees", "sentiment", "tagged", "text"}) {
    const std::string text = written(kind);
    EXPECT_EQ(std::ranges::count(text, '\n'), 40) << kind;
    EXPECT_EQ(written(kind), text) << kind;
    EXPECT_NE(written(kind, "2"), text) << kind;
  }
}

TEST(Data, IsReadBack) {
  const auto lines = [](std::istringstream& stream) { return data::Lines(stream, "written"); };
  std::istringstream listops(written("listops")), arithmetic(written("arithmetic")), logic(written("entailment")),
      calculator(written("calculator")), sentiment(written("sentiment")), tagged(written("tagged")),
      text(written("text"));
  EXPECT_EQ(data::listops::read(lines(listops)), data::listops::generate(40, 1));
  EXPECT_EQ(data::arithmetic::read(lines(arithmetic)), data::arithmetic::generate(40, 1));
  EXPECT_EQ(data::logic::read(lines(logic)), data::logic::generate(40, 1));
  EXPECT_EQ(data::arithmetic::read(lines(calculator)), data::arithmetic::generate(40, 1, data::arithmetic::calculator));
  data::Vocabulary words, tags;
  const auto trees = data::sentiment::read(lines(sentiment), words);
  const auto made = data::sentiment::generate(40, 1);
  ASSERT_EQ(trees.size(), made.size());
  for (size_t i = 0; i < trees.size(); ++i) EXPECT_EQ(trees[i].leaves(), made[i].leaves());
  EXPECT_EQ(data::tagged::read(lines(tagged), words, tags).size(), 40u);
  EXPECT_EQ(data::text::read(lines(text), words).size(), 40u);
}

TEST(Data, SequencesAndTreesAreReadBack) {
  for (const auto& [name, problem] : {std::pair("addition", data::marked::Problem::addition),
                                      {"multiplication", data::marked::Problem::multiplication}}) {
    std::istringstream text(written(name));
    uint64_t i = 0;
    for (std::string line; std::getline(text, line); ++i)
      EXPECT_EQ(data::marked::parse(problem, line), data::marked::draw(problem, 1, i)) << name;
  }
  std::istringstream text(written("trees"));
  data::Vocabulary labels, words;
  const auto trees = data::treebank::read(data::Lines(text, "written"), labels, words);
  const auto made = data::binary_tree::generate(40, 1, 16, 10);
  ASSERT_EQ(trees.size(), made.size());
  for (size_t i = 0; i < trees.size(); ++i) {
    ASSERT_EQ(trees[i].nodes.size(), made[i].nodes.size());
    for (uint32_t n = 0; n < made[i].nodes.size(); ++n) {
      const auto& node = made[i].nodes[n];
      if (node.is_leaf())
        EXPECT_EQ(words.word(trees[i].nodes[n].word), std::to_string(node.leaf));
      else
        EXPECT_TRUE(std::ranges::equal(trees[i].children(n), std::vector<uint32_t>{node.left, node.right}));
    }
  }
}

TEST(Data, GoesToAFile) {
  const std::string path = "data_test_" + std::to_string(getpid()) + ".txt";
  const Ran r = run({"data", "make", "fizz-buzz", "--count", "40", "-o", path});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "");
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), written("fizz-buzz"));
  std::filesystem::remove(path);

  const Ran nowhere = run({"data", "make", "fizz-buzz", "-o", "no/such/folder"});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_EQ(nowhere.err, "espalier: no/such/folder: cannot be written\n");
  const Ran full = run({"data", "make", "text"}, {.out_to = "/dev/full"});
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.err, "espalier: cannot write to stdout\n");
}

TEST(Data, TakesTheOptionsOfItsKind) {
  const Ran small =
      run({"data", "make", "listops", "--count", "20", "--max-tokens", "7", "--max-args", "3", "--max-depth", "3"});
  std::istringstream text(small.out);
  for (const auto& e : data::listops::read(data::Lines(text, "written"))) {
    EXPECT_LE(e.length(), 7u);
    EXPECT_LE(e.depth(), 3u);
  }
  const Ran sums = run({"data", "make", "arithmetic", "--count", "20", "--max-operators", "1"});
  std::istringstream lines(sums.out);
  for (const auto& e : data::arithmetic::read(data::Lines(lines, "written"))) EXPECT_EQ(e.nodes.size(), 3u);

  const Ran shorter = run({"data", "make", "addition", "--count", "1", "--shortest", "4", "--longest", "4"});
  EXPECT_EQ(std::ranges::count(shorter.out, ' '), 3);
  EXPECT_EQ(run({"data", "make", "trees", "--count", "1", "--leaves", "2", "--kinds", "1"}).out, "(X (X 0) (X 0))\n");

  const Ran none = run({"data", "make"});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err, "espalier data make: a kind of data is needed\nRun 'espalier data make --help' for usage.\n");
  const Ran wrong = run({"data", "make", "listop"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.err,
            "espalier data make: there is no data 'listop'; did you mean 'listops'?\n"
            "Run 'espalier data make --help' for usage.\n");
  const Ran before = run({"data", "listops", "--count", "3"});  // the command until version 0.3
  EXPECT_EQ(before.status, 2);
  EXPECT_EQ(before.err,
            "espalier data: there is no command 'listops'; did you mean 'espalier data make listops'?\n"
            "Run 'espalier data --help' for usage.\n");
  EXPECT_EQ(run({"data"}).err, "espalier data: a command is needed\nRun 'espalier data --help' for usage.\n");
  const Ran count = run({"data", "make", "text", "--count", "0"});
  EXPECT_EQ(count.status, 2);
  EXPECT_EQ(count.err,
            "espalier data make text: --count is '0'; must be an integer >= 1\n"
            "Run 'espalier data make text --help' for usage.\n");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
