// Known shapes are checked when blocks are composed, before any data.
#include <gtest/gtest.h>

#include <deque>

#include <espalier/block.h>
#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

namespace blk = espalier::block;
using nn::State;

struct Model {
  Parameters params{1};
  nn::Embedding words{params / "words", 10, 4};
  nn::TreeLSTM lstm{params / "lstm", 4, 3};
  nn::Linear out{params / "out", 3, 2};
  nn::LSTM chain{params / "chain", 4, 3};
  blk::Block<int, Expr> word = blk::identity<int>() >> words;
};

std::string known(const auto& block) { return blk::str(block.shapes()); }

TEST(BlockShapes, AreKnownBeforeData) {
  Model m;
  EXPECT_EQ(known(m.word), "[4]");
  EXPECT_EQ(known(m.word >> m.lstm.leaf), "[3], [3]");
  EXPECT_EQ(known(m.word >> m.lstm.leaf >> &State::h >> m.out), "[2]");
  EXPECT_EQ(known(blk::all_of(m.word, m.word >> m.lstm.leaf)), "[4], [3], [3]");
  EXPECT_EQ(known(blk::all_of(m.word, m.word >> m.lstm.leaf) >> blk::get<1>()), "[3], [3]");
  EXPECT_EQ(known(blk::all_of(m.word, m.word) >> blk::concat()), "[8]");
  EXPECT_EQ(known(blk::all_of(m.word >> m.lstm.leaf, blk::identity<int>(), m.word) >>
                  blk::record(&State::c, blk::one_hot(2), m.lstm.leaf)),
            "[3], [2], [3], [3]");
  EXPECT_EQ(known(blk::identity<std::pair<int, float>>() >> blk::record(m.words, blk::scalar())), "[4], []");
  EXPECT_EQ(known(blk::identity<float>() >> blk::scalar()), "[]");
  EXPECT_EQ(known(blk::identity<std::vector<float>>() >> blk::tensor({2, 3})), "[2,3]");
  EXPECT_EQ(known(blk::identity<std::vector<int>>() >> blk::map(m.words)), "[4]");
  EXPECT_EQ(known(blk::identity<std::vector<int>>() >> blk::map(m.words) >> blk::sum()), "[4]");
  EXPECT_EQ(
      known(blk::identity<std::vector<int>>() >> blk::map(m.words) >> blk::ngrams<2>() >> blk::map(blk::concat())),
      "[8]");
  EXPECT_EQ(known(blk::identity<std::vector<int>>() >> blk::map(m.words) >> blk::nth(0)), "[4]");
  EXPECT_EQ(known(blk::identity<std::vector<int>>() >> blk::length()), "no rows");
  const auto words = blk::identity<std::vector<int>>() >> blk::map(m.words);
  EXPECT_EQ(known(words >> blk::rnn(m.chain)), "[3], [3], [3]");
  EXPECT_EQ(known(words >> blk::rnn(m.chain) >> blk::get<0>() >> blk::map(m.out)), "[2]");
  EXPECT_EQ(known(words >> blk::fold([](Expr s, Expr x) { return s + x; }, blk::zeros({4}))), "[4]");
}

TEST(BlockShapes, WhatDependsOnHostValuesIsKnownWhenRecorded) {
  Model m;
  EXPECT_EQ(known(blk::identity<int>() >> [](Graph& g, int n) { return zeros(g, {n}); }), "unknown until recorded");
  const auto wide = blk::identity<int>() >> [](Graph& g, int n) { return zeros(g, {n}); } >> m.out;
  EXPECT_EQ(known(wide), "[2]");  // declared by the module, whatever its input
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(engine.tensor(wide(g, 3)).shape(), (Shape{2}));
  EXPECT_EQ(error_without_line([&] { wide(g, 5); }), "out.linear: argument 0 is [5]; it must be [3] (shapes_test.cc)");
}

TEST(BlockShapes, ALambdaOverRowsIsTriedOnce) {
  Model m;
  int tried = 0;
  const auto half = m.word >> [&tried](Expr x) {
    ++tried;
    return slice(x, 0, 2);
  };
  EXPECT_EQ(tried, 1);
  EXPECT_EQ(known(half), "[2]");
  const auto with_host = blk::all_of(m.word, blk::identity<int>()) >> [&tried](Expr x, int) {
    ++tried;
    return x;
  };
  EXPECT_EQ(tried, 1);  // a function of an int cannot be tried without data
  EXPECT_EQ(known(with_host), "unknown until recorded");
  EXPECT_EQ(error_without_line([&] { m.word >> [](Expr x) { return slice(x, 2, 9); }; }).substr(0, 5), "slice");
}

TEST(BlockShapes, AMismatchIsFoundWhenComposed) {
  Model m;
  EXPECT_EQ(error_without_line([&] { m.word >> m.out; }),
            "out.linear: argument 0 is [4]; it must be [3] (shapes_test.cc)");
  EXPECT_EQ(error_without_line([&] { m.word >> m.lstm.leaf >> &State::h >> m.lstm.leaf; }),
            "lstm.leaf: argument 0 is [3]; it must be [4] (shapes_test.cc)");
  EXPECT_EQ(error_without_line([&] { blk::identity<std::vector<int>>() >> blk::map(m.words) >> blk::map(m.out); }),
            "out.linear: argument 0 is [4]; it must be [3] (shapes_test.cc)");
  // A cell that takes a row and an integer.
  const auto pick_of_three =
      m.params.operator Scope().cell("pick3", {{3}, {}}, [](Expr x, Index i) { return pick(x, i); });
  EXPECT_EQ(error_without_line([&] { blk::all_of(m.word, blk::identity<int>()) >> pick_of_three; }),
            "pick3: argument 0 is [4]; it must be [3] (shapes_test.cc)");
  const auto cases = std::map<int, blk::Block<int, Expr>>{{1, m.word}, {7, m.word >> m.lstm.leaf >> &State::h}};
  EXPECT_EQ(error_without_line([&] { blk::one_of([](int x) { return x; }, cases); }),
            "one_of: case 1 has shape [4], case 7 has [3]; all cases must have the same (shapes_test.cc)");
  EXPECT_EQ(error_without_line([&] { blk::identity<std::optional<int>>() >> blk::optional(m.word, {5}); }),
            "optional: a result is [5]; it must be [4] (shapes_test.cc)");
  EXPECT_EQ(error_without_line([&] {
              blk::identity<std::vector<int>>() >> blk::map(m.words) >>
                  blk::reduce([](Expr a, Expr b) { return concat(a, b); });
            }).substr(0, 41),
            "reduce: a result is [8]; it must be [4] (");
}

TEST(BlockShapes, SequencesAreTried) {
  Model m;
  const auto words = blk::identity<std::vector<int>>() >> blk::map(m.words);
  EXPECT_EQ(
      error_without_line([&] { words >> blk::fold([](Expr s, Expr x) { return concat(s, x); }, blk::zeros({3})); }),
      "fold: a result is [7]; it must be [3] (shapes_test.cc)");
  EXPECT_EQ(error_without_line([&] {
              words >> blk::map(m.lstm.leaf) >> blk::map(&State::h) >> blk::rnn(m.chain);
            }).substr(0, 44),
            "chain.first: argument 0 is [3]; it must be [");
}

TEST(BlockShapes, RowsInsideHostValuesAreKnownWhenRecorded) {
  struct Mixed {
    Expr row;
    int label = 0;
  };
  const auto mixed = blk::identity<int>() >> [](Graph& g, int n) { return Mixed{zeros(g, {n}), n}; };
  const auto parts = mixed >> blk::record([](Expr x) { return x * 2; }, blk::one_hot(9)) >> blk::concat();
  EXPECT_EQ(known(parts), "unknown until recorded");
  const auto deque = blk::identity<int>() >> [](Graph& g, int n) { return std::deque<Expr>(2, zeros(g, {n})); };
  const auto mapped = deque >> blk::map([](Expr x) { return x * 2; }) >> blk::sum({3});
  // The elements of an array may have different shapes.
  const auto array = blk::identity<int>() >> [](Graph& g, int) { return std::array{zeros(g, {3}), zeros(g, {4})}; } >>
                     blk::nth(1) >> [](Expr x) { return slice(x, 0, 4); };
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(engine.tensor(parts(g, 3)).shape(), (Shape{12}));
  EXPECT_EQ(engine.tensor(mapped(g, 3)).shape(), (Shape{3}));
  EXPECT_EQ(engine.tensor(array(g, 3)).shape(), (Shape{4}));
}

TEST(BlockShapes, AFunctionThatNeedsAGraphIsNotTried) {
  Model m;
  Engine engine;
  Graph g = engine.graph();
  const Expr context = ones(g, {4});
  const auto with = m.word >> [=](Expr x) { return x + context; };
  EXPECT_EQ(known(with), "unknown until recorded");
  EXPECT_EQ(engine.tensor(with(g, 1)).shape(), (Shape{4}));
  const auto asked = m.word >> [&](Expr x) { return engine.tensor(x)[0] < 100 ? x : x * 2; };
  EXPECT_EQ(engine.tensor(asked(g, 1)).shape(), (Shape{4}));
}

TEST(BlockShapes, WhatStandsForNothingIsCompared) {
  Model m;
  const auto words = blk::identity<std::vector<int>>() >> blk::map(m.words);
  auto add = [](Expr a, Expr b) { return a + b; };
  EXPECT_EQ(error_without_line([&] { words >> blk::reduce(add, blk::zeros({7})); }),
            "reduce: a result is [7]; it must be [4] (shapes_test.cc)");
  EXPECT_EQ(error_without_line([&] { words >> blk::reduce(add, Shape{7}); }),
            "reduce: a result is [7]; it must be [4] (shapes_test.cc)");
  EXPECT_EQ(error_without_line([&] { words >> blk::sum({7}); }),
            "sum: a result is [4]; it must be [7] (shapes_test.cc)");
  Engine engine;
  Graph g = engine.graph();
  EXPECT_EQ(engine.tensor((words >> blk::reduce(add, Shape{4}))(g, {})).to_vector(), std::vector<float>(4));
  // A case of unknown shape does not hide that the shapes of two other cases differ.
  const auto late = blk::identity<int>() >> [](Graph& graph, int n) { return zeros(graph, {n}); };
  const auto three = m.word >> m.lstm.leaf >> &State::h;
  const auto cases = std::map<int, blk::Block<int, Expr>>{{1, m.word}, {2, late}, {3, three}};
  EXPECT_EQ(error_without_line([&] { blk::one_of([](int x) { return x; }, cases); }),
            "one_of: case 1 has shape [4], case 3 has [3]; all cases must have the same (shapes_test.cc)");
}

TEST(BlockShapes, RecursionDeclaresThem) {
  Model m;
  struct List {
    int word = 0;
    std::unique_ptr<List> rest;
  };
  auto build = [&](Shape declared) {
    return blk::fix<List, Expr>(declared, [&](auto self) {
      return blk::all_of(blk::field<&List::word>() >> m.words, blk::member_of<&List::rest>() >> blk::optional(self)) >>
             [](Expr a, Expr b) { return a + b; };
    });
  };
  EXPECT_EQ(known(build({4})), "[4]");
  // The sum does not have the declared shape: found before any data.
  EXPECT_EQ(error_without_line([&] { build({5}); }),
            "add: a[4] and b[5] differ; the shapes must be equal, or one a scalar (shapes_test.cc)");
  // If the shape depends on a host value, the mismatch is found when an example is recorded.
  const auto late = blk::fix<List, Expr>(
      {5}, [&](auto) { return blk::field<&List::word>() >> [](Graph& g, int n) { return zeros(g, {n}); }; });
  Engine engine;
  Graph g = engine.graph();
  List one;
  one.word = 5;
  late(g, one);
  one.word = 4;
  EXPECT_EQ(error_without_line([&] { late(g, one); }), "fix: a result is [4]; it must be [5] (shapes_test.cc)");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
