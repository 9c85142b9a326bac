// The amount of memory that this process may still allocate, and the limit that determines it.
#pragma once
#include <cstdint>
#include <string>

namespace espalier {

struct MemoryLeft {
  uint64_t bytes = ~uint64_t{0};
  std::string limit = "no limit";  // or "the machine", "the control group", "ulimit -v", "ulimit -d"
};

// The smallest of: the machine's available memory plus swap, the limits of the control groups (version 1 and 2) of this
// process, RLIMIT_AS and RLIMIT_DATA. Reclaimable memory (file caches) counts as available. `root` is a prefix of /proc
// and /sys, for tests.
MemoryLeft memory_left(const std::string& root = "");

}  // namespace espalier
