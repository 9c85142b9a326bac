// Cuts a minibatch into shards, one per thread.
#include <algorithm>
#include <string>
#include <utility>

#include "engine/state/engine_state.h"

namespace espalier::detail {

std::vector<size_t> EngineState::cut(size_t examples, std::span<const uint32_t> sizes) {
  if (!sizes.empty() && sizes.size() != examples)
    throw Error("record: " + std::to_string(sizes.size()) + " sizes are given for " + std::to_string(examples) +
                " examples; one each is needed");
  const size_t shards = std::clamp<size_t>(examples, 1, static_cast<size_t>(options.threads));
  std::vector<size_t> first = std::exchange(spare_begins, {});  // a local, because recordings may be nested
  first.assign(shards + 1, examples);
  uint64_t total = 0, before = 0;
  for (size_t i = 0; i < examples; ++i) total += sizes.empty() ? 1 : sizes[i];
  size_t shard = 0;
  for (size_t i = 0; i < examples; ++i) {
    const uint64_t size = sizes.empty() ? 1 : sizes[i];
    // An example belongs to the shard that contains its middle.
    while (shard < shards && (2 * before + size) * shards >= 2 * total * shard) first[shard++] = i;
    before += size;
  }
  return first;
}

}  // namespace espalier::detail
