// Result types of blocks: values, references into the example, and copies out of temporaries.
#include <gtest/gtest.h>

#include <espalier/block.h>
#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

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
  // The first function returns a temporary Atom, destroyed before the result of the second is used.
  const auto made = blk::of<int>([](int n) { return Atom{std::string(static_cast<size_t>(n), 'x'), 1, {n, n + 1}}; });
  const auto name = made >> blk::field<&Atom::element>();
  expect_out<std::string>(name);
  const auto bond = made >> blk::field<&Atom::bonds>() >> blk::nth(-1);
  expect_out<int>(bond);
  const auto both = made >> blk::all_of(blk::field<&Atom::element>(), blk::field<&Atom::bonds>());
  expect_out<std::tuple<std::string, std::vector<int>>>(both);
  const auto lambda = made >> [](const Atom& a) -> const std::vector<int>& { return a.bonds; };
  expect_out<std::vector<int>>(lambda);
  // A conversion to the input type of the next block also creates a temporary.
  const auto converted = blk::identity<const char*>() >> blk::identity<std::string>();
  expect_out<std::string>(converted);
  const auto mapped =
      blk::identity<std::vector<int>>() >> blk::map(made) >> blk::nth(0) >> blk::field<&Atom::element>();
  expect_out<std::string>(mapped);
  // The temporary is in the middle of a chain of parts.
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
  EXPECT_EQ(engine.tensor(s.h).to_vector(), engine.tensor(lstm.node(l, l).h).to_vector());
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
  EXPECT_EQ(engine.tensor(pair(g, {0.5f, 2})).to_vector(), (std::vector<float>{0.5f, 0, 0, 1}));
  EXPECT_EQ(engine.tensor(point(g, {3, 4})).to_vector(), (std::vector<float>{3, 4}));
}

TEST(BlockTypes, ABlockHasSeveralParents) {
  const auto x = blk::identity<float>() >> blk::scalar();
  const auto twice = x >> [](Expr y) { return y * 2; };
  const auto both = blk::all_of(x, twice, twice >> [](Expr y) { return y + 1; }) >> blk::concat();
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(engine.tensor(both(g, 3)).to_vector(), (std::vector<float>{3, 6, 7}));
}

int twice(int x) { return 2 * x; }
TEST(BlockTypes, PlainFunctionsStandRightOfIt) {
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ((blk::identity<int>() >> twice >> &twice)(g, 3), 12);
  EXPECT_EQ(blk::of<int>(twice)(g, 3), 6);
  EXPECT_EQ(blk::all_of(blk::identity<int>(), twice)(g, 3), std::tuple(3, 6));
}

TEST(BlockTypes, GenericLambdasTakeWhatComes) {
  Engine engine;
  Graph g = engine.graph();
  const auto both = blk::all_of(blk::identity<int>(), twice);
  EXPECT_EQ((both >> [](auto a, auto b) { return a + b; })(g, 3), 9);
  EXPECT_EQ((both >> [](auto... n) { return (n + ...); })(g, 3), 9);
  EXPECT_EQ((blk::identity<int>() >> [](auto x) { return x + 1; })(g, 3), 4);
  EXPECT_EQ((both >> [](Graph&, auto a, auto b) { return a * b; })(g, 3), 18);
  EXPECT_EQ((both >> [](const std::tuple<int, int>& t) { return std::get<1>(t); })(g, 3), 6);
}

TEST(BlockTypes, TuplesOfReferencesDoNotOutliveTheExample) {
  const auto both = blk::all_of(blk::field<&Atom::element>(), blk::field<&Atom::bonds>());
  expect_out<std::tuple<const std::string&, const std::vector<int>&>>(both);
  static_assert(!std::is_invocable_v<decltype(both), Graph&, Atom>);
  static_assert(std::is_invocable_v<decltype(both), Graph&, const Atom&>);
  Engine engine;
  const std::string name(40, 'x');
  auto batch = engine.record(std::vector<Atom>(3, Atom{name, 1, {1, 2}}), both);
  static_assert(std::is_same_v<decltype(batch), Batch<std::tuple<std::string, std::vector<int>>>>);
  EXPECT_EQ(std::get<0>(batch.results[2]), name);
  EXPECT_EQ(std::get<1>(batch.results[2]), (std::vector{1, 2}));
}

TEST(BlockTypes, WhatAFunctionConvertsIsATemporary) {
  struct Named {
    std::string name;
    operator std::string() const { return name + ", and some more so that it does not fit"; }
  };
  const auto text = blk::identity<Named>() >> [](const std::string& s) -> const std::string& { return s; };
  expect_out<std::string>(text);
  expect_out<const Named&>(blk::identity<Named>() >> [](const Named& n) -> const Named& { return n; });
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(text(g, Named{"a"}), "a, and some more so that it does not fit");
}

struct Linked {
  std::shared_ptr<Atom> owned;
  const Atom* plain() const { return owned.get(); }
  std::shared_ptr<Atom> shared() const { return owned; }
  const Atom& reference() const& noexcept { return *owned; }
};
TEST(BlockTypes, PointersThatGettersGiveAreFollowed) {
  expect_out<const Atom&>(blk::field<&Linked::plain>());
  expect_out<Atom>(blk::field<&Linked::shared>());
  expect_out<const Atom&>(blk::field<&Linked::reference>());
  Engine engine;
  Graph g = engine.graph();
  const Linked x{std::make_shared<Atom>(Atom{"carbon", 1, {}})};
  EXPECT_EQ(&blk::field<&Linked::plain>()(g, x), x.owned.get());
  EXPECT_EQ(blk::field<&Linked::shared>()(g, x).element, "carbon");
  const Linked none;
  EXPECT_EQ(error_without_line([&] { blk::field<&Linked::plain>()(g, none); }),
            "$.plain: the pointer is null; use optional() if it may be null (types_test.cc)");
}

TEST(BlockTypes, WhatCannotBeCopiedIsRefusedByTheCompiler) {
  using Owned = std::vector<std::unique_ptr<int>>;
  static_assert(!blk::detail::Takes<decltype(blk::slice(0, 1)), const Owned&>);
  static_assert(!blk::detail::Takes<decltype(blk::ngrams<2>()), const Owned&>);
  static_assert(!blk::detail::Takes<decltype(blk::zip()), std::tuple<const Owned&>>);
  static_assert(blk::detail::Takes<decltype(blk::length()), const Owned&>);
  static_assert(blk::detail::Takes<decltype(blk::nth(0)), const Owned&>);
}

TEST(BlockTypes, AnEmptyBlockSaysSo) {
  Engine engine;
  Graph g = engine.graph();
  const blk::Block<int, Expr> none;
  const char* text = "block: it is empty; assign a block to it first";
  EXPECT_EQ(error_of([&] { none(g, 1); }), text);
  EXPECT_EQ(error_of([&] { none >> [](Expr x) { return x; }; }), text);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
