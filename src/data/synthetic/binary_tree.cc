#include <espalier/data/binary_tree.h>

#include <string>

#include <espalier/base/error.h>

#include "base/draw.h"
#include "data/synthetic/grow.h"

namespace espalier::data::binary_tree {

std::vector<Tree> generate(size_t n, uint64_t seed, int leaves, int kinds, Form form) {
  if (leaves < 1 || kinds < 1)
    throw Error("binary_tree: " + std::to_string(leaves) + " leaves of " + std::to_string(kinds) +
                " kinds; expected at least 1 of each");
  Draw draw(seed);
  const auto split = [&](uint32_t of) -> uint32_t {
    switch (form) {
      case Form::balanced:
        return of / 2;
      case Form::sequence:
        return of - 1;
      case Form::random:
        break;
    }
    return 1 + static_cast<uint32_t>(draw.below(of - 1));
  };
  std::vector<Tree> trees(n);
  for (Tree& tree : trees) {
    tree.nodes.reserve(2 * static_cast<size_t>(leaves) - 1);
    grow_tree(
        static_cast<uint32_t>(leaves), split,
        [&] { tree.nodes.push_back({static_cast<int>(draw.below(static_cast<uint64_t>(kinds))), 0, 0}); },
        [&](uint32_t left, uint32_t right) { tree.nodes.push_back({-1, left, right}); });
  }
  return trees;
}

}  // namespace espalier::data::binary_tree
