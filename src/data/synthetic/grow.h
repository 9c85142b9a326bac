// grow_tree: generates a binary tree with a given number of leaves.
#pragma once

#include <cstdint>
#include <vector>

namespace espalier::data {

// Calls leaf() and inner(left, right) in post-order; left and right are the indices of earlier nodes. split(n) returns
// how many of n leaves go to the left child: 1 … n-1. Not recursive, since a tree may be as deep as it has leaves.
template <class Split, class Leaf, class Inner>
void grow_tree(uint32_t leaves, Split split, Leaf leaf, Inner inner) {
  struct Part {
    uint32_t leaves;
    bool open;  // its children are not pushed yet
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
