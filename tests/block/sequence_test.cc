// Sequences, leaves and choices, on values that can be checked by hand.
#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <set>

#include <espalier/block.h>
#include <espalier/espalier.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

namespace blk = espalier::block;
using Floats = std::vector<float>;

class BlockSequence : public ::testing::Test {
 protected:
  Engine engine;
  Graph g = engine.graph();
  template <class B, class X>
  Floats run(const B& block, const X& x) {
    return engine.tensor(block(g, x)).to_vector();
  }
  blk::Block<Floats, std::vector<Expr>> rows = blk::identity<Floats>() >> blk::map(blk::scalar());
};

TEST_F(BlockSequence, AnyContainer) {
  auto total = blk::map(blk::scalar()) >> blk::sum();
  EXPECT_EQ(run(blk::identity<std::list<int>>() >> total, std::list{1, 2, 3}), Floats{6});
  EXPECT_EQ(run(blk::identity<std::set<int>>() >> total, std::set{4, 5}), Floats{9});
  EXPECT_EQ(run(blk::identity<std::deque<double>>() >> total, std::deque{0.5}), Floats{0.5});
  EXPECT_EQ(run(blk::identity<std::vector<bool>>() >> total, std::vector<bool>{true, false, true}), Floats{2});
  EXPECT_EQ(run(blk::identity<std::array<float, 2>>() >> total, std::array<float, 2>{1, 2}), Floats{3});
  EXPECT_EQ(run(blk::identity<std::string>() >> blk::map(blk::one_hot(std::vector{'a', 'b'})) >> blk::sum(), "abb"),
            (Floats{1, 2}));
}

TEST_F(BlockSequence, Pools) {
  EXPECT_EQ(run(rows >> blk::sum(), Floats{3, 1, 5}), Floats{9});
  EXPECT_EQ(run(rows >> blk::mean(), Floats{3, 1, 5}), Floats{3});
  EXPECT_EQ(run(rows >> blk::max(), Floats{3, 1, 5}), Floats{5});
  EXPECT_EQ(run(rows >> blk::min(), Floats{3, 1, 5}), Floats{1});
  EXPECT_EQ(run(rows >> blk::concat(), Floats{3, 1, 5}), (Floats{3, 1, 5}));
  EXPECT_EQ(run(rows >> blk::sum({}), Floats{}), Floats{0});
  EXPECT_EQ(g.calls(), 5 * 3 + 5 + 1u);  // each pool is one call
}

TEST_F(BlockSequence, FoldGoesFromLeftToRight) {
  const auto horner = rows >> blk::fold([](Expr state, Expr x) { return state * 10 + x; }, blk::zeros({}));
  EXPECT_EQ(run(horner, Floats{1, 2, 3}), Floats{123});
  EXPECT_EQ(run(horner, Floats{}), Floats{0});
  // A host value as the state, and host values as elements.
  const auto longest = blk::identity<std::vector<std::string>>() >>
                       blk::fold([](size_t n, const std::string& s) { return std::max(n, s.size()); }, size_t{0});
  EXPECT_EQ(longest(g, {"a", "abc", "ab"}), 3u);
}

TEST_F(BlockSequence, ReduceIsABalancedTree) {
  // Computes the depth of the tree of reductions.
  struct Counted {
    int depth = 0, leaves = 1;
  };
  const auto depth = blk::identity<std::vector<Counted>>() >> blk::reduce([](const Counted& a, const Counted& b) {
                       return Counted{1 + std::max(a.depth, b.depth), a.leaves + b.leaves};
                     });
  for (const auto& [n, deep] : {std::pair{1, 0}, {2, 1}, {3, 2}, {8, 3}, {9, 4}, {1000, 10}}) {
    const Counted c = depth(g, std::vector<Counted>(static_cast<size_t>(n)));
    EXPECT_EQ(c.depth, deep) << n;
    EXPECT_EQ(c.leaves, n);
  }
  // The order is kept.
  const auto joined = blk::identity<std::vector<std::string>>() >>
                      blk::reduce([](const std::string& a, const std::string& b) { return a + b; });
  EXPECT_EQ(joined(g, {"a", "b", "c", "d", "e"}), "abcde");
  EXPECT_EQ(run(rows >> blk::reduce([](Expr a, Expr b) { return a + b; }, blk::zeros({})), Floats{}), Floats{0});
}

TEST_F(BlockSequence, RnnGivesOutputsAndTheLastState) {
  Parameters params(1);
  const nn::LSTM lstm(params / "lstm", 1, 2);
  const auto chain = blk::identity<std::vector<Floats>>() >> blk::map(blk::vector(1)) >> blk::rnn(lstm);
  auto [outputs, last] = chain(g, {{1}, {2}, {3}});
  nn::State s;
  for (float x : {1.f, 2.f, 3.f}) s = lstm(input(g, std::span(&x, 1), {1}), s);
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(engine.tensor(last.c).to_vector(), engine.tensor(s.c).to_vector());
  EXPECT_EQ(engine.tensor(outputs.back()).to_vector(), engine.tensor(s.h).to_vector());
  // With a given initial state, and a cell with zeros as initial state.
  const auto from = blk::identity<std::vector<Floats>>() >> blk::map(blk::vector(1)) >>
                    [&](Graph&, const std::vector<Expr>& xs) { return std::tuple(xs, s); } >> blk::rnn(lstm);
  EXPECT_EQ(engine.tensor(std::get<1>(from(g, {{4}})).h).to_vector(),
            engine.tensor(lstm(input(g, Floats{4}, {1}), s).h).to_vector());
  const auto add = Scope(params).cell("add", {{1}, {1}}, [](Expr x, Expr h) { return x + h; });
  const auto sums = blk::identity<std::vector<Floats>>() >> blk::map(blk::vector(1)) >> blk::rnn(add, blk::zeros({1}));
  EXPECT_EQ(engine.tensor(std::get<0>(sums(g, {{1}, {2}, {3}}))[1]).to_vector(), Floats{3});
  const auto third =
      blk::all_of(blk::identity<Floats>(), blk::of<Floats>([](const Floats&) { return 2; })) >> blk::nth();
  EXPECT_EQ(third(g, {5, 6, 7}), 7);
  const nn::GRU gru(params / "gru", 1, 2);
  auto [hs, h] = (blk::identity<std::vector<Floats>>() >> blk::map(blk::vector(1)) >> blk::rnn(gru))(g, {{1}, {2}});
  EXPECT_EQ(engine.tensor(hs.back()).to_vector(), engine.tensor(h).to_vector());
}

TEST_F(BlockSequence, ZipAndBroadcast) {
  struct In {
    Floats a, b;
    float bias = 0;
  };
  const auto a = blk::field<&In::a>() >> blk::map(blk::scalar());
  const auto b = blk::field<&In::b>() >> blk::map(blk::scalar());
  const auto bias = blk::field<&In::bias>() >> blk::scalar() >> blk::broadcast();
  const auto dot =
      blk::all_of(a, b, bias) >> blk::zip_with([](Expr x, Expr y, Expr z) { return x * y + z; }) >> blk::concat();
  EXPECT_EQ(run(dot, In{{1, 2, 3}, {4, 5, 6}, 0.5f}), (Floats{4.5f, 10.5f, 18.5f}));
  // zip of host values.
  const auto pairs = blk::all_of(blk::field<&In::a>(), blk::field<&In::b>()) >> blk::zip();
  EXPECT_EQ(pairs(g, In{{1, 2}, {3, 4}, 0}), (std::vector<std::tuple<float, float>>{{1, 3}, {2, 4}}));
  EXPECT_EQ(error_of([&] { dot(g, In{{1, 2}, {3}, 0}); }).substr(0, 78),
            "zip: sequences of 2 and 1 elements are given; all must have the same length (s");
}

TEST_F(BlockSequence, NGramsAndPartsOfSequences) {
  const auto grams = rows >> blk::ngrams<2>() >> blk::map([](Expr a, Expr b) { return b - a; }) >> blk::concat();
  EXPECT_EQ(run(grams, Floats{1, 4, 9, 16}), (Floats{3, 5, 7}));
  EXPECT_EQ(run(rows >> blk::slice(1, -1) >> blk::concat(), Floats{1, 2, 3, 4}), (Floats{2, 3}));
  EXPECT_EQ((rows >> blk::slice(5, 9))(g, Floats{1, 2}).size(), 0u);
  EXPECT_EQ(run(rows >> blk::nth(-2), Floats{1, 2, 3}), Floats{2});
  EXPECT_EQ(run(rows >> blk::length() >> blk::scalar(), Floats{1, 2, 3}), Floats{3});
  const auto named = blk::identity<std::map<std::string, float>>() >> blk::get_item("charge") >> blk::scalar();
  EXPECT_EQ(run(named, std::map<std::string, float>{{"charge", 2}}), Floats{2});
}

TEST_F(BlockSequence, OptionalTakesWhatMayBeMissing) {
  const auto number = blk::identity<float>() >> blk::scalar();
  const auto zero = blk::identity<std::optional<float>>() >> blk::optional(number);
  EXPECT_EQ(run(zero, std::optional<float>(3)), Floats{3});
  EXPECT_EQ(run(zero, std::optional<float>()), Floats{0});
  const auto other = blk::identity<std::unique_ptr<float>>() >>
                     blk::optional(blk::scalar(), [](Graph& graph) { return ones(graph, {}); });
  EXPECT_EQ(run(other, std::unique_ptr<float>()), Floats{1});
  EXPECT_EQ(run(other, std::make_unique<float>(5)), Floats{5});
  // A state of zeros.
  Parameters params(1);
  const nn::TreeLSTM lstm(params, 1, 2);
  const auto state =
      blk::identity<std::optional<Floats>>() >> blk::optional(blk::identity<Floats>() >> blk::vector(1) >> lstm.leaf);
  EXPECT_EQ(engine.tensor(state(g, std::nullopt).c).to_vector(), (Floats{0, 0}));
  EXPECT_EQ(error_of([&] {
              blk::optional(blk::identity<int>() >> [](Graph& graph, int n) { return espalier::zeros(graph, {n}); });
            }),
            "optional: the shapes of the block are unknown before recording; give a shape or a function");
}

TEST_F(BlockSequence, OneOfByKey) {
  enum Op { add, mul };
  struct In {
    Op op = add;
    float x = 0;
  };
  const auto x = blk::field<&In::x>() >> blk::scalar();
  const auto by_op = blk::one_of(blk::field<&In::op>(),
                                 std::map<int, blk::Block<In, Expr>>{{add, x >> [](Expr y) { return y + 1; }},
                                                                     {mul, x >> [](Expr y) { return y * 10; }}});
  EXPECT_EQ(run(by_op, In{add, 4}), Floats{5});
  EXPECT_EQ(run(by_op, In{mul, 4}), Floats{40});
  const auto by_name = blk::one_of([](const std::string& s) { return s; },
                                   std::map<std::string, blk::Block<std::string, int>>{
                                       {"a", blk::of<std::string>([](const std::string&) { return 1; })}});
  EXPECT_EQ(by_name(g, "a"), 1);
}

TEST_F(BlockSequence, ConversionsStandForBlocks) {
  const auto pair =
      blk::identity<std::pair<float, int>>() >> std::tuple(blk::scalar(), blk::one_hot(2)) >> blk::concat();
  EXPECT_EQ(run(pair, std::pair(0.5f, 1)), (Floats{0.5f, 0, 1}));
  const auto with = blk::all_of(blk::identity<float>() >> blk::scalar(), Tensor{{2}, {8, 9}}) >> blk::concat();
  EXPECT_EQ(run(with, 7.f), (Floats{7, 8, 9}));
  const auto number = blk::identity<float>() >> blk::scalar();
  const auto each = blk::record(std::vector{number, number >> [](Expr x) { return x * 10; }});
  EXPECT_EQ(run(blk::identity<Floats>() >> each >> blk::concat(), Floats{1, 2}), (Floats{1, 20}));
  EXPECT_EQ(error_without_line([&] { (blk::identity<Floats>() >> each)(g, {1}); }),
            "record: sequences of 2 and 1 elements are given; all must have the same length (sequence_test.cc)");
}

TEST_F(BlockSequence, APartIsAFunctionLikeAnyOther) {
  auto batch = engine.record(std::vector<Floats>{{1, 2}, {3}}, blk::map(blk::scalar()) >> blk::sum());
  EXPECT_EQ(engine.value(batch.results[0]), 3);
  EXPECT_EQ(error_of([&] { engine.record(std::vector<Floats>{{1}, {}}, blk::map(blk::scalar()) >> blk::sum()); }),
            "sum: the sequence is empty; at least one element is needed (example 1)");
}

TEST_F(BlockSequence, ARootGivesHostValues) {
  struct In {
    std::string name;
    Floats a;
  };
  std::vector<In> data{{"x", {1, 2}}, {"y", {3}}};
  auto names = engine.record(data, blk::field<&In::name>());
  EXPECT_EQ(names.results, (std::vector<std::string>{"x", "y"}));
  auto all = engine.record(data, blk::all_of(blk::field<&In::name>(), blk::field<&In::a>() >> blk::map(blk::scalar())));
  EXPECT_EQ(std::get<0>(all.results[1]), "y");
  EXPECT_EQ(engine.value(std::get<1>(all.results[0])[1]), 2);
  auto nothing = engine.record(data, [](Graph& graph, const In& in) { graph.emit("n", input(graph, in.a[0])); });
  EXPECT_EQ(nothing.results.size(), 2u);
  EXPECT_EQ(nothing.emitted("n").size(), 2u);
}

TEST_F(BlockSequence, ConstantsIgnoreTheInput) {
  EXPECT_EQ(run(blk::of<int>(blk::constant(Tensor{{2}, {1, 2}})), 7), (Floats{1, 2}));
  EXPECT_EQ(run(blk::all_of(blk::identity<int>() >> blk::scalar(), blk::zeros({2})) >> blk::concat(), 7),
            (Floats{7, 0, 0}));
  EXPECT_EQ(blk::of<int>(blk::nothing())(g, 1), blk::Nothing{});
}

TEST_F(BlockSequence, MetricsAreEmittedAndPassedOn) {
  struct In {
    Floats a;
    int label = 0;
  };
  const auto a = blk::field<&In::a>() >> blk::map(blk::scalar());
  const auto loss = blk::all_of(a >> blk::metric("each") >> blk::sum(), blk::field<&In::label>()) >> blk::metric("sum");
  auto batch = engine.record(std::vector{In{{1, 2}, 7}, In{{3}, 8}}, loss);
  EXPECT_EQ(batch.emitted("each").size(), 3u);
  EXPECT_EQ(batch.emitted("sum").size(), 2u);
  EXPECT_EQ(engine.value(batch.emitted("sum")[1]), 3);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
