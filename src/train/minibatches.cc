// Shuffles the examples of an epoch and splits them into minibatches.
#include <espalier/train/minibatches.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <espalier/base/error.h>

#include "base/draw.h"

namespace espalier::train {

std::vector<Minibatch> minibatches(size_t examples, size_t batch, uint64_t seed, uint64_t epoch) {
  if (batch == 0) {
    throw Error("minibatches: batch = 0 for " + std::to_string(examples) + " examples; it must be at least 1");
  }
  std::vector<uint64_t> order(examples);
  std::iota(order.begin(), order.end(), uint64_t{0});
  Draw draw(seed, epoch);
  for (size_t left = examples; left > 1; --left) {  // Fisher & Yates
    std::swap(order[left - 1], order[draw.below(left)]);
  }

  std::vector<Minibatch> result;
  result.reserve(examples / batch + 1);
  for (size_t begin = 0; begin < examples;) {
    const size_t end = begin + std::min(batch, examples - begin);
    result.push_back({{order.data() + begin, order.data() + end}, epoch});
    begin = end;
  }
  return result;
}

}  // namespace espalier::train
