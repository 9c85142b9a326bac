// Blocks only record: a model in blocks and the same model in Exprs have the same graph, schedule and results, bit for
// bit.
#include <gtest/gtest.h>

#include <espalier/block.h>
#include <espalier/espalier.h>
#include "graph/tape.h"

namespace espalier::test {
namespace ESPALIER_FILE {

namespace blk = espalier::block;
using nn::State;

struct Leaf {
  int label = 0, word = 0;
};
struct Pair;
using Tree = std::variant<Leaf, std::unique_ptr<Pair>>;
struct Pair {
  int label = 0;
  Tree left, right;
};

Tree random_tree(uint64_t& random, int depth) {
  auto next = [&](int n) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((random >> 33) % static_cast<uint64_t>(n));
  };
  if (depth == 0 || next(4) == 0) return Leaf{next(5), next(30)};
  auto pair = std::make_unique<Pair>();
  pair->label = next(5);
  pair->left = random_tree(random, depth - 1);
  pair->right = random_tree(random, depth - 1);
  return pair;
}

struct Sentiment {
  nn::Embedding words;
  nn::TreeLSTM lstm;
  nn::Linear out;
  blk::Block<Tree, State> tree;

  explicit Sentiment(Scope p)
      : words(p / "words", 30, 6),
        lstm(p / "lstm", 6, 8),
        out(p / "out", 8, 5),
        tree(blk::fix<Tree, State>({8}, [&](auto self) {
          auto scored = [out = out](Graph& g, int label, State s) {
            g.emit("loss", cross_entropy(out(s.h), label));
            return s;
          };
          auto word = [](Expr x) { return dropout(x, 0.5f); };
          auto leaf = blk::field<&Leaf::word>() >> words >> word >> lstm.leaf;
          auto pair = blk::all_of(blk::field<&Pair::left>() >> self, blk::field<&Pair::right>() >> self) >> lstm.node;
          return blk::one_of<Tree>(blk::all_of(blk::field<&Leaf::label>(), leaf) >> scored,
                                   blk::all_of(blk::field<&Pair::label>(), pair) >> scored);
        })) {}

  // The same by hand.
  State by_hand(Graph& g, const Tree& t) const {
    State s;
    int label = 0;
    if (const Leaf* leaf = std::get_if<Leaf>(&t)) {
      s = lstm.leaf(dropout(words(g, leaf->word), 0.5f));
      label = leaf->label;
    } else {
      const Pair& pair = *std::get<1>(t);
      const State l = by_hand(g, pair.left), r = by_hand(g, pair.right);
      s = lstm.node(l, r);
      label = pair.label;
    }
    g.emit("loss", cross_entropy(out(s.h), label));
    return s;
  }
};

TEST(BlockSame, AsWithExprs) {
  uint64_t random = 7;
  std::vector<Tree> trees;
  for (int i = 0; i < 40; ++i) trees.push_back(random_tree(random, 6));
  Parameters params(3);
  const Sentiment model(params);
  for (int threads : {1, 2}) {
    Engine engine({.threads = threads, .seed = 5});
    auto blocks = engine.record(trees, model.tree);
    auto exprs = engine.record(trees, [&](Graph& g, const Tree& t) { return model.by_hand(g, t); });
    ASSERT_EQ(blocks.shards.size(), exprs.shards.size());
    for (size_t s = 0; s < blocks.shards.size(); ++s) {
      EXPECT_EQ(print(blocks.shards[s].tape()), print(exprs.shards[s].tape()));
      EXPECT_EQ(engine.explain(blocks.shards[s]), engine.explain(exprs.shards[s]));
    }
    Gradients a = engine.backward(blocks.emitted("loss")), b = engine.backward(exprs.emitted("loss"));
    EXPECT_EQ(a.loss().get(), b.loss().get());
    for (const Parameter& p : params.all()) EXPECT_EQ(a.of(p).to_vector(), b.of(p).to_vector()) << p.name();
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
