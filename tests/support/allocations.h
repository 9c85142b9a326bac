// Counts every `operator new` of the executable that uses this. oneDNN allocates by malloc and is not counted.
#pragma once
#include <cstddef>

namespace espalier::test {

// Those of all threads, from its making on. One at a time.
class Allocations {
 public:
  Allocations();
  ~Allocations();
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;
  long taken() const;          // and stops counting
  size_t bytes_taken() const;  // likewise; what was given back is in it
};

// While it lives, no allocation above `bytes` succeeds. (Under the thread sanitizer all do.)
class LittleMemory {
 public:
  explicit LittleMemory(size_t bytes);
  ~LittleMemory();
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;
};

}  // namespace espalier::test
