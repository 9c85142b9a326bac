// The recording overhead of blocks: records the same calls for the same trees with a recursive function and with
// blocks.
#include <benchmark/benchmark.h>

#include <memory>
#include <variant>
#include <espalier/block.h>
#include <espalier/data/sentiment.h>

#include "micro/trees.h"

namespace espalier::micro {
namespace {

namespace blk = espalier::block;
using nn::State;

struct Leaf {
  int label, word;
};
struct Pair;
using Variant = std::variant<Leaf, std::unique_ptr<Pair>>;
struct Pair {
  int label;
  Variant left, right;
};

Variant variant_of(const Tree& tree) {
  std::vector<Variant> made;
  for (const Tree::Node& n : tree.nodes) {
    if (n.is_leaf()) {
      made.emplace_back(Leaf{n.label, n.word});
    } else {
      made.emplace_back(std::make_unique<Pair>(
          Pair{n.label, std::move(made[static_cast<size_t>(n.left)]), std::move(made[static_cast<size_t>(n.right)])}));
    }
  }
  return std::move(made.back());
}

State by_hand(const TreeModel& m, Graph& g, const Variant& t) {
  const Leaf* leaf = std::get_if<Leaf>(&t);
  const Pair* pair = leaf == nullptr ? std::get<1>(t).get() : nullptr;
  State s;
  if (leaf != nullptr) {
    s = m.lstm.leaf(m.words(g, leaf->word));
  } else {
    const State l = by_hand(m, g, pair->left), r = by_hand(m, g, pair->right);
    s = m.lstm.node(l, r);
  }
  g.emit("loss", cross_entropy(m.out(s.h), leaf != nullptr ? leaf->label : pair->label));
  return s;
}

blk::Block<Variant, State> in_blocks(const TreeModel& m) {
  return blk::fix<Variant, State>({8}, [&](auto self) {
    auto scored = [out = m.out](Graph& g, int label, State s) {
      g.emit("loss", cross_entropy(out(s.h), label));
      return s;
    };
    auto leaf = blk::field<&Leaf::word>() >> m.words >> m.lstm.leaf;
    auto pair = blk::all_of(blk::field<&Pair::left>() >> self, blk::field<&Pair::right>() >> self) >> m.lstm.node;
    return blk::one_of<Variant>(blk::all_of(blk::field<&Leaf::label>(), leaf) >> scored,
                                blk::all_of(blk::field<&Pair::label>(), pair) >> scored);
  });
}

template <class F>
void record(benchmark::State& state, F&& one) {
  std::vector<Variant> trees;
  for (const Tree& t : data::sentiment::generate(64, 1)) trees.push_back(variant_of(t));
  Engine engine;
  Graph g = engine.graph();
  for (auto _ : state) {
    g.clear();
    for (const Variant& t : trees) benchmark::DoNotOptimize(one(g, t));
  }
  state.counters["per_call"] = benchmark::Counter(
      static_cast<double>(g.calls()), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void blocks_none(benchmark::State& state) {
  Parameters params(1);
  const TreeModel m(params);
  record(state, [&](Graph& g, const Variant& t) { return by_hand(m, g, t); });
}
BENCHMARK(blocks_none);

void blocks(benchmark::State& state) {
  Parameters params(1);
  const TreeModel m(params);
  const blk::Block<Variant, State> block = in_blocks(m);
  record(state, block);
}
BENCHMARK(blocks);

}  // namespace
}  // namespace espalier::micro
