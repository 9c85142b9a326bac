#include "support/allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "support/sanitized.h"

namespace {

std::atomic<long> count{0};
std::atomic<size_t> bytes{0};
std::atomic<bool> counting{false};
std::atomic<size_t> largest{~size_t{0}};

[[maybe_unused]] void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
  if (counting.load(std::memory_order_relaxed)) {
    count.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
  }
  if (size > largest.load(std::memory_order_relaxed)) throw std::bad_alloc();
  // Allocates the exact size if possible, so that the address sanitizer detects reads past the end.
  void* p = alignment <= alignof(std::max_align_t)
                ? std::malloc(size)
                : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

// The thread sanitizer has its own operator new; under it nothing is counted.
#if !ESPALIER_THREAD_SANITIZED
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t a) { return allocate(size, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return allocate(size, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
#endif

namespace espalier::test {

Allocations::Allocations() {
  count = 0;
  bytes = 0;
  counting = true;
}
Allocations::~Allocations() { counting = false; }
long Allocations::taken() const {
  counting = false;
  return count;
}
size_t Allocations::bytes_taken() const {
  counting = false;
  return bytes;
}

LittleMemory::LittleMemory(size_t bytes_at_most) { largest = bytes_at_most; }
LittleMemory::~LittleMemory() { largest = ~size_t{0}; }

}  // namespace espalier::test
