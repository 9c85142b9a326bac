// Binary trees with a given number of leaves: the synthetic data of TensorFlow Fold's benchmark (Looks et al. 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data::binary_tree {

enum class Form {
  random,    // the number of leaves in the left child is uniform
  balanced,  // splits in halves
  sequence,  // splits off one leaf at a time: maximal depth
};

// Children precede their parents; the root is the last node.
struct Tree {
  struct Node {
    int leaf = -1;                 // leaves: 0 … kinds-1; inner nodes: -1
    uint32_t left = 0, right = 0;  // inner nodes only
    bool is_leaf() const { return leaf >= 0; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;  // 2 · leaves - 1
  bool operator==(const Tree&) const = default;
};

// n trees of `leaves` leaves; each leaf is drawn uniformly from `kinds` kinds. The same on every platform. Throws
// Error unless both counts are at least 1.
ESPALIER_API std::vector<Tree> generate(size_t n, uint64_t seed, int leaves, int kinds, Form form = Form::random);

}  // namespace espalier::data::binary_tree
