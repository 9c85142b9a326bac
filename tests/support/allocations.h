// Counts every `operator new` of the executable that links this file. oneDNN allocates by malloc and is not counted.
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
  long taken() const;          // number of allocations; stops counting
  size_t bytes_taken() const;  // their total size, including freed memory; stops counting
};

// Whether the library verifies every plan before it runs (sanitizer builds); the verification allocates.
#ifdef ESPALIER_VERIFY_PLANS
constexpr bool verifies_plans = true;
#else
constexpr bool verifies_plans = false;
#endif

// During its lifetime, a single allocation of more than `bytes` throws bad_alloc (except under the thread sanitizer).
class LittleMemory {
 public:
  explicit LittleMemory(size_t bytes);
  ~LittleMemory();
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;
};

}  // namespace espalier::test
