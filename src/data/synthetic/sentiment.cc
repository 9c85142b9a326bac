// Generates trees with the measured statistics of the treebank's training file (8,544 trees, 163,563 words).
#include <espalier/data/sentiment.h>

#include "data/synthetic/grow.h"
#include "data/synthetic/statistics.h"

namespace espalier::data::sentiment {
namespace {

// Leaves per tree: mean 19.1.
constexpr Quantiles leaves({2, 5, 7, 9, 11, 12, 13, 15, 16, 17, 18, 20, 21, 22, 24, 25, 27, 29, 32, 35, 52});

// The split of a node: the probabilities that the left child, or that the right child, is a single leaf. Otherwise the
// split is uniform. This reproduces the mean depth of the real trees, 9.8.
struct Split {
  uint32_t leaves;  // applies to nodes with fewer leaves than this
  double left, right;
};
constexpr std::array<Split, 5> splits{
    {{5, 0.744, 0.205}, {10, 0.534, 0.160}, {20, 0.438, 0.187}, {40, 0.311, 0.233}, {~0u, 0.188, 0.270}}};

// Probabilities of the labels 0 … 4.
using Shares = std::array<double, labels>;
constexpr Shares leaf_labels{0.007, 0.048, 0.858, 0.070, 0.017}, inner_labels{0.046, 0.171, 0.512, 0.211, 0.060};

// With offset 0, 52 % of the words of 64 trees and 39 % of the words of 256 trees are distinct. In the file, where
// words occur in bursts, 51 % and 38 % are.
constexpr double offset = 0;

int draw_label(Draw& draw, const Shares& shares) {
  double x = fraction(draw);
  for (int label = 0; label < labels - 1; ++label)
    if ((x -= shares[static_cast<size_t>(label)]) < 0) return label;
  return labels - 1;
}

uint32_t draw_left(Draw& draw, uint32_t n) {
  if (n == 2) return 1;
  size_t s = 0;
  while (n >= splits[s].leaves) ++s;
  const double sides = splits[s].left + splits[s].right, x = fraction(draw) * (n == 3 ? sides : 1);
  if (x < splits[s].left) return 1;
  if (x < sides || n == 3) return n - 1;
  return 2 + static_cast<uint32_t>(draw.below(n - 3));
}

Tree draw_tree(Draw& draw, const Zipf& words) {
  Tree tree;
  grow_tree(
      static_cast<uint32_t>(leaves(draw)), [&](uint32_t n) { return draw_left(draw, n); },
      [&] {
        const int word = words(draw);
        tree.nodes.push_back({word, draw_label(draw, leaf_labels), 0, 0});
      },
      [&](uint32_t left, uint32_t right) { tree.nodes.push_back({-1, draw_label(draw, inner_labels), left, right}); });
  return tree;
}

}  // namespace

std::vector<Tree> generate(size_t n, uint64_t seed) {
  const Zipf words(generated_words, offset);
  std::vector<Tree> trees;
  trees.reserve(n);
  Draw draw(seed);
  while (trees.size() < n) trees.push_back(draw_tree(draw, words));
  return trees;
}

}  // namespace espalier::data::sentiment
