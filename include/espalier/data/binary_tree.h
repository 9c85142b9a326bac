// Binary trees of a given number of leaves: the synthetic work of TensorFlow Fold's benchmark (Looks et al. 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data::binary_tree {

enum class Form {
  random,    // every split of a node's leaves in two is as likely
  balanced,  // in halves
  sequence,  // one leaf after the other: as deep as can be
};

// Children stand before their parents, the root last.
struct Tree {
  struct Node {
    int leaf = -1;                 // of a leaf: 0 … kinds-1, else -1
    uint32_t left = 0, right = 0;  // of an inner node
    bool is_leaf() const { return leaf >= 0; }
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;  // 2 · leaves - 1
  bool operator==(const Tree&) const = default;
};

// n trees of `leaves` leaves, each one of `kinds` kinds, all as likely. The same on every platform. An Error unless
// both are at least 1.
ESPALIER_API std::vector<Tree> generate(size_t n, uint64_t seed, int leaves, int kinds, Form form = Form::random);

}  // namespace espalier::data::binary_tree
