#include "task/length_buckets.h"

#include <algorithm>

#include <espalier/train/minibatches.h>

namespace espalier::app {

std::vector<Minibatch> minibatches_of_like_length(std::span<const uint32_t> lengths, size_t batch, uint64_t seed,
                                                  uint64_t epoch) {
  constexpr size_t sorted_at_once = 32;  // minibatches: enough for similar lengths, few enough for varied batches
  std::vector<Minibatch> cut;
  for (Minibatch& drawn : train::minibatches(lengths.size(), batch * sorted_at_once, seed, epoch)) {
    std::sort(drawn.ids.begin(), drawn.ids.end(),
              [&](uint64_t a, uint64_t b) { return lengths[a] != lengths[b] ? lengths[a] < lengths[b] : a < b; });
    for (size_t i = 0; i < drawn.ids.size(); i += batch) {
      const auto begin = drawn.ids.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end = drawn.ids.begin() + static_cast<std::ptrdiff_t>(std::min(i + batch, drawn.ids.size()));
      cut.push_back({{begin, end}, epoch});
    }
  }
  std::vector<Minibatch> all;
  for (const Minibatch& one : train::minibatches(cut.size(), 1, seed, epoch)) all.push_back(std::move(cut[one.ids[0]]));
  return all;
}

}  // namespace espalier::app
