// Divides the examples of one file into train, dev and test.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "task/training_task.h"

namespace espalier::app {

// Indices of examples.
struct Split {
  std::vector<uint64_t> train, dev, test;
  const std::vector<uint64_t>& of(Part part) const {
    return part == Part::train ? train : part == Part::dev ? dev : test;
  }
};

struct SplitShares {
  double dev = 0.1, test = 0.1;
};

// A random division that depends only on the arguments. With folds, test is the same in every fold, and the other
// examples are cut into `folds.count` parts, of which part `folds.chosen` is dev (0 counts as 1). Error: a chosen fold
// above the count.
Split random_split(size_t n, uint64_t seed, const Folds& folds = {}, const SplitShares& shares = {});

// Examples of one group stay together. The largest groups are trained on and the smallest are tested, as in
// MoleculeNet's division by scaffold; of equal groups, the one that occurs first comes last. With folds, the largest
// groups come first, each into the part with the fewest examples. Independent of the seed.
Split group_split(const std::vector<std::string>& groups, const Folds& folds = {}, const SplitShares& shares = {});

// Moves the chosen examples out of `all`.
template <class Example>
std::vector<Example> take(std::vector<Example>& all, const std::vector<uint64_t>& chosen) {
  std::vector<Example> taken;
  taken.reserve(chosen.size());
  for (const uint64_t i : chosen) taken.push_back(std::move(all[i]));
  return taken;
}

}  // namespace espalier::app
