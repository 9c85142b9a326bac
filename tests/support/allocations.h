// Counts every `operator new` of the executable that uses this. oneDNN allocates by malloc and is not counted.
#pragma once
#include <cstddef>

namespace espalier::test {

// Counts the allocations of all threads during its lifetime. Only one may exist at a time.
class Allocations {
 public:
  Allocations();
  ~Allocations();
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;
  long taken() const;          // stops counting
  size_t bytes_taken() const;  // likewise; includes freed memory
};

// Whether the library verifies every plan before it runs (sanitizer builds); the verification allocates.
#ifdef ESPALIER_VERIFY_PLANS
constexpr bool verifies_plans = true;
#else
constexpr bool verifies_plans = false;
#endif

// During its lifetime, allocations above `bytes` fail (except under the thread sanitizer).
class LittleMemory {
 public:
  explicit LittleMemory(size_t bytes);
  ~LittleMemory();
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;
};

}  // namespace espalier::test
