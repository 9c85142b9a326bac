// Compositions: blocks wired as a graph, in which several blocks may read one result.
#include <gtest/gtest.h>

#include <espalier/block.h>
#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

namespace blk = espalier::block;
using Floats = std::vector<float>;

struct Sentence {
  std::vector<int> words;
  std::string name;
};

TEST(BlockComposition, FeedsSeveral) {
  Parameters params(1);
  const nn::Embedding embed(params / "words", 10, 3);
  blk::Composition<Sentence> c;
  const auto words = c(blk::field<&Sentence::words>() >> blk::map(embed), c.input());
  const auto mean = c(blk::mean(), words);
  const auto first = c(blk::nth(0), words);
  const auto name = c(blk::field<&Sentence::name>(), c.input());
  const auto size = c([](const std::string& s) { return static_cast<float>(s.size()); }, name);
  const auto scaled = c([](Expr a, Expr b, float n) { return (a - b) * n; }, mean, first, size);
  const blk::Block<Sentence, Expr> whole = c.output(scaled);

  Engine engine;
  std::vector<Sentence> data{{{1, 2, 3}, "abcd"}, {{4, 5}, "a name that does not fit into the string itself"}};
  auto batch = engine.record(data, whole);
  const Tensor table = params["words.weight"].value();
  for (size_t i = 0; i < 3; ++i) {
    const float average = (table[3 + i] + table[6 + i] + table[9 + i]) / 3;
    EXPECT_NEAR(engine.tensor(batch.results[0])[i], (average - table[3 + i]) * 4, 1e-6);
  }
  EXPECT_EQ(engine.tensor(batch.results[1]).shape(), (Shape{3}));
}

TEST(BlockComposition, GivesHostValuesAndManyResults) {
  blk::Composition<Sentence> c;
  const auto name = c(blk::field<&Sentence::name>(), c.input());
  const blk::Block<Sentence, std::string> copy = c.output(name);
  blk::Composition<Sentence> d;
  // Results larger than the inline memory of a Frame, of types with destructors. A step fails if its text is too long.
  auto text = d([](const Sentence& s) { return s.name; }, d.input());
  for (int i = 0; i < 50; ++i)
    text = d(
        [](const std::string& s) {
          if (s.size() > 60) throw DataError("too long");
          return s + "x";
        },
        text);
  const auto longer = d.output(text);
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(copy(g, Sentence{{}, "abc"}), "abc");
  EXPECT_EQ(longer(g, Sentence{{}, "abc"}), "abc" + std::string(50, 'x'));
  EXPECT_EQ(error_of([&] { longer(g, Sentence{{}, "a name that is twenty long"}); }), "too long");
}

TEST(BlockComposition, ChecksShapesAndWires) {
  Parameters params(1);
  const nn::Linear out(params / "out", 3, 2);
  blk::Composition<Floats> c, other;
  const auto four = c(blk::identity<Floats>() >> blk::vector(4), c.input());
  EXPECT_EQ(error_of([&] { c(out, four); }), "out.linear: argument 0 is [4]; it must be [3]");
  EXPECT_EQ(error_of([&] { other(out, four); }),
            "composition: a wire is empty, belongs to another composition, or is older than output(); use a wire of "
            "this one");
  EXPECT_EQ(blk::str(c.output(c([](Expr a, Expr b) { return concat(a, b); }, four, four)).shapes()), "[8]");
}

TEST(BlockComposition, WiresEndWithTheOutput) {
  blk::Composition<Floats> c;
  const auto two = c(blk::identity<Floats>() >> blk::vector(2), c.input());
  const auto twice = c([](Expr x) { return x * 2; }, two);
  const auto both = c.output(c([](Expr a, Expr b) { return std::tuple(a, b); }, two, twice));  // two results
  const std::string text =
      "composition: a wire is empty, belongs to another composition, or is older than output(); use a wire of this one";
  EXPECT_EQ(error_of([&] { c.output(two); }), text);
  EXPECT_EQ(error_of([&] { c([](Expr x) { return x; }, two); }), text);
  // The composition is empty again and can be reused.
  const auto constant = c.output(c(Tensor{{1}, {5}}, c.input()));
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(engine.tensor(std::get<1>(both(g, {1, 2}))).to_vector(), (Floats{2, 4}));
  EXPECT_EQ(engine.tensor(constant(g, {})).to_vector(), Floats{5});
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
