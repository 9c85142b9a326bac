// Grows a binary tree from its number of leaves: what the generators of trees share.
#pragma once

#include <cstdint>
#include <vector>

namespace espalier::data {

// Calls leaf() and inner(left, right) in the order of nodes: children before their parents, left before right. The
// arguments of inner are the numbers of the nodes. split(n) says how many of n leaves go to the left: 1 … n-1. No
// recursion: a tree may be as deep as it has leaves.
template <class Split, class Leaf, class Inner>
void grow_tree(uint32_t leaves, Split split, Leaf leaf, Inner inner) {
  struct Part {
    uint32_t leaves;
    bool open;  // its children come before it comes again
  };
  std::vector<Part> parts{{leaves, true}};
  std::vector<uint32_t> roots;  // nodes without a parent yet
  uint32_t count = 0;
  while (!parts.empty()) {
    const Part part = parts.back();
    if (part.leaves > 1 && part.open) {
      parts.back().open = false;
      const uint32_t left = split(part.leaves);
      parts.push_back({part.leaves - left, true});
      parts.push_back({left, true});
      continue;
    }
    parts.pop_back();
    if (part.leaves == 1) {
      leaf();
    } else {
      const uint32_t right = roots.back();
      roots.pop_back();
      const uint32_t left = roots.back();
      roots.pop_back();
      inner(left, right);
    }
    roots.push_back(count++);
  }
}

}  // namespace espalier::data
