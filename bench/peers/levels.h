// A minibatch of trees, level by level: leaves first, then the nodes of height 1, of height 2, … Every state has one
// reader, its parent, and thus one position in the parent's input: its slot. The root of tree k has no reader and gets
// slot 2 nodes + k. States stored in slot order are both the inputs of all nodes (two slots each) and the rows of the
// classifier, so nothing is ever gathered.
#pragma once
#include <espalier/data/sentiment.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace peers {

using espalier::data::sentiment::Tree;

struct Levels {
  size_t rows = 0, leaves = 0, nodes = 0, trees = 0;
  std::vector<uint32_t> begin;  // level l is the rows begin[l] … begin[l + 1] - 1; level 0 is the leaves
  std::vector<uint32_t> slot;   // per row: where its state is stored
  std::vector<uint32_t> word;   // per leaf
  std::vector<uint32_t> label;  // per slot

  // O(nodes). Allocates only when a minibatch is larger than all earlier ones.
  void arrange(std::span<const Tree> batch) {
    begin.assign(2, 0);
    height_.clear();
    for (const Tree& tree : batch) {
      const size_t base = height_.size();
      for (const Tree::Node& node : tree.nodes) {
        const uint32_t h = node.is_leaf() ? 0 : 1 + std::max(height_[base + node.left], height_[base + node.right]);
        height_.push_back(h);
        if (begin.size() < h + 2) begin.push_back(0);
        ++begin[h + 1];
      }
    }
    for (size_t l = 1; l < begin.size(); ++l) begin[l] += begin[l - 1];
    rows = height_.size();
    leaves = begin[1];
    nodes = rows - leaves;
    trees = batch.size();
    place(batch);
  }

 private:
  void place(std::span<const Tree> batch) {
    next_ = begin;
    row_.resize(rows);
    slot.resize(rows);
    label.resize(rows);
    word.resize(leaves);
    size_t base = 0, root = 2 * nodes;
    for (const Tree& tree : batch) {
      const auto put = [&](size_t position, size_t s) {
        slot[row_[base + position]] = static_cast<uint32_t>(s);
        label[s] = static_cast<uint32_t>(tree.nodes[position].label);
      };
      for (size_t i = 0; i < tree.nodes.size(); ++i) {
        const Tree::Node& node = tree.nodes[i];
        const uint32_t row = next_[height_[base + i]]++;
        row_[base + i] = row;
        if (node.is_leaf()) {
          word[row] = static_cast<uint32_t>(node.word);
        } else {
          put(node.left, 2 * (row - leaves));
          put(node.right, 2 * (row - leaves) + 1);
        }
      }
      put(tree.nodes.size() - 1, root++);
      base += tree.nodes.size();
    }
  }

  std::vector<uint32_t> height_, row_, next_;  // height_, row_: per node of the minibatch; next_: per level
};

}  // namespace peers
