// How much more memory this process may take, and which limit decides it.
#pragma once
#include <cstdint>
#include <string>

namespace espalier {

struct MemoryLeft {
  uint64_t bytes = ~uint64_t{0};
  std::string limit = "no limit";  // which one: "the machine", "the control group", "ulimit -v", "ulimit -d"
};

// The smallest of: the machine's available memory and swap, the limits of the control groups (version 1 and 2) above
// this process, RLIMIT_AS and RLIMIT_DATA. Memory that the system can take back (file caches) counts as left. `root`
// stands before /proc and /sys: for tests.
MemoryLeft memory_left(const std::string& root = "");

}  // namespace espalier
