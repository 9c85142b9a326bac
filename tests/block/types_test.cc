// What blocks give: types, references into the example, and values taken out of temporaries.
#include <gtest/gtest.h>

#include <espalier/block.h>
#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace {

namespace blk = espalier::block;
using nn::State;

struct Atom {
  std::string element;
  float charge = 0;
  std::vector<int> bonds;
  const std::string& name() const { return element; }
  std::string shout() const { return element + "!"; }
};
struct Molecule {
  std::vector<Atom> atoms;
  std::unique_ptr<Atom> heavy;
  const Atom* plain = nullptr;
};

template <class T, class B>
void expect_out(const B&) {
  static_assert(std::is_same_v<typename B::Out, T>);
}

static_assert(blk::detail::member_name<&Atom::charge>() == "charge");
static_assert(blk::detail::member_name<&Atom::name>() == "name");
static_assert(blk::detail::member_name<&Molecule::heavy>() == "heavy");

TEST(BlockTypes, AFieldIsAReferenceOrANumber) {
  expect_out<float>(blk::field<&Atom::charge>());
  expect_out<const std::string&>(blk::field<&Atom::element>());
  expect_out<const Atom&>(blk::field<&Molecule::heavy>());
  expect_out<const Atom&>(blk::field<&Molecule::plain>());
  expect_out<const std::unique_ptr<Atom>&>(blk::member_of<&Molecule::heavy>());
  expect_out<const std::string&>(blk::field<&Atom::name>());
  expect_out<std::string>(blk::field<&Atom::shout>());

  Engine engine;
  Graph g = engine.graph();
  const Atom a{"carbon", 0.5f, {1, 2}};
  EXPECT_EQ(&blk::field<&Atom::element>()(g, a), &a.element);
  EXPECT_EQ(&(blk::field<&Atom::bonds>() >> blk::nth(1))(g, a), &a.bonds[1]);
  EXPECT_EQ(blk::field<&Atom::shout>()(g, a), "carbon!");
  Molecule m;
  m.plain = &a;
  EXPECT_EQ(&(blk::field<&Molecule::plain>() >> blk::field<&Atom::element>())(g, m), &a.element);
}

TEST(BlockTypes, AReferenceIntoATemporaryBecomesAValue) {
  // The first makes an Atom that is gone when the second's result is used.
  const auto made = blk::of<int>([](int n) { return Atom{std::string(static_cast<size_t>(n), 'x'), 1, {n, n + 1}}; });
  const auto name = made >> blk::field<&Atom::element>();
  expect_out<std::string>(name);
  const auto bond = made >> blk::field<&Atom::bonds>() >> blk::nth(-1);
  expect_out<int>(bond);
  const auto both = made >> blk::all_of(blk::field<&Atom::element>(), blk::field<&Atom::bonds>());
  expect_out<std::tuple<std::string, std::vector<int>>>(both);
  const auto lambda = made >> [](const Atom& a) -> const std::vector<int>& { return a.bonds; };
  expect_out<std::vector<int>>(lambda);
  // A block over another type is given a temporary, too.
  const auto converted = blk::identity<const char*>() >> blk::identity<std::string>();
  expect_out<std::string>(converted);
  const auto mapped =
      blk::identity<std::vector<int>>() >> blk::map(made) >> blk::nth(0) >> blk::field<&Atom::element>();
  expect_out<std::string>(mapped);
  // In the middle of a chain of parts.
  const auto chained = blk::identity<int>() >> (made >> blk::field<&Atom::bonds>() >> blk::slice(0, 1));

  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(name(g, 40), std::string(40, 'x'));
  EXPECT_EQ(bond(g, 40), 41);
  EXPECT_EQ(std::get<0>(both(g, 40)), std::string(40, 'x'));
  EXPECT_EQ(std::get<1>(both(g, 40)), (std::vector{40, 41}));
  EXPECT_EQ(lambda(g, 40), (std::vector{40, 41}));
  EXPECT_EQ(converted(g, "a text that is longer than what a string holds in itself"),
            "a text that is longer than what a string holds in itself");
  EXPECT_EQ(mapped(g, {33, 4}), std::string(33, 'x'));
  EXPECT_EQ(chained(g, 7), std::vector{7});
}

TEST(BlockTypes, WhatStandsRightIsABlockCellModuleOrLambda) {
  Parameters params(1);
  const nn::Embedding words(params / "words", 10, 4);
  const nn::TreeLSTM lstm(params / "lstm", 4, 3);
  const nn::Linear out(params / "out", 3, 2);
  expect_out<Expr>(blk::identity<int>() >> words);
  expect_out<State>(blk::identity<int>() >> words >> lstm.leaf);
  const auto leaf = blk::identity<int>() >> words >> lstm.leaf;
  expect_out<State>(blk::all_of(leaf, leaf) >> lstm.node);
  expect_out<Expr>(leaf >> [](State s) { return s.h; } >> out);
  expect_out<Expr>(leaf >> &State::h >> out);
  expect_out<blk::Nothing>(leaf >> [](State) {});
  expect_out<int>(leaf >> [](Graph& g, State) { return static_cast<int>(g.calls()); });
  expect_out<State>(blk::all_of(leaf, leaf) >> [](std::tuple<State, State> both) { return std::get<0>(both); });
  expect_out<Expr>(blk::all_of(leaf, leaf) >> blk::get<1>() >> &State::c);
  expect_out<State>(blk::all_of(leaf >> &State::h, leaf >> &State::c) >> blk::as<State>());

  Engine engine;
  Graph g = engine.graph();
  const State s = (blk::all_of(leaf, leaf) >> lstm.node)(g, 3);
  const State l = lstm.leaf(words(g, 3));
  EXPECT_EQ(engine.tensor(s.h).data, engine.tensor(lstm.node(l, l).h).data);
}

TEST(BlockTypes, ARecordHasABlockForEachElement) {
  const auto pair =
      blk::identity<std::pair<float, int>>() >> blk::record(blk::scalar(), blk::one_hot(3)) >> blk::concat();
  struct Point {
    float x, y;
  };
  const auto point = blk::identity<Point>() >> blk::record(blk::scalar(), blk::scalar()) >> blk::concat();
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(engine.tensor(pair(g, {0.5f, 2})).data, (std::vector<float>{0.5f, 0, 0, 1}));
  EXPECT_EQ(engine.tensor(point(g, {3, 4})).data, (std::vector<float>{3, 4}));
}

TEST(BlockTypes, ABlockHasSeveralParents) {
  const auto x = blk::identity<float>() >> blk::scalar();
  const auto twice = x >> [](Expr y) { return y * 2; };
  const auto both = blk::all_of(x, twice, twice >> [](Expr y) { return y + 1; }) >> blk::concat();
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(engine.tensor(both(g, 3)).data, (std::vector<float>{3, 6, 7}));
}

TEST(BlockTypes, AnEmptyBlockSaysSo) {
  Engine engine;
  Graph g = engine.graph();
  const blk::Block<int, Expr> none;
  const char* text = "block: it is empty; assign a block to it first";
  EXPECT_EQ(error_of([&] { none(g, 1); }), text);
  EXPECT_EQ(error_of([&] { none >> [](Expr x) { return x; }; }), text);
}

}  // namespace
}  // namespace espalier::test
