#include "base/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <espalier/base/error.h>
#include "base/memory_left.h"

namespace espalier {
namespace {

// Huge pages avoid TLB misses: a step reads about twenty regions at once, and with small pages each row is a new TLB
// entry. An arena smaller than one huge page stays small, since there may be thousands.
constexpr size_t huge = size_t{2} << 20, smallest = size_t{64} << 10;

size_t round_to(size_t n, size_t to) { return (n + to - 1) / to * to; }

// The size to allocate: up to a huge page, a power of two; above, an eighth more than requested. So the arena stops
// growing after a few minibatches of similar size.
size_t with_reserve(size_t bytes) {
  return bytes <= huge ? std::bit_ceil(std::max(bytes, smallest)) : round_to(bytes + bytes / 8, huge);
}

std::string mib(uint64_t bytes) { return std::to_string((bytes + (1u << 20) - 1) >> 20) + " MiB"; }

std::byte* map_memory(size_t bytes, int protection) {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

// Memory aligned to a huge page; null on failure.
std::byte* map_huge(size_t bytes, int protection) {
  std::byte* const first = map_memory(bytes + huge, protection);
  if (first == nullptr) return nullptr;
  auto* const base = reinterpret_cast<std::byte*>(round_to(reinterpret_cast<uintptr_t>(first), huge));
  std::byte *const end = base + bytes, *const last = first + bytes + huge;
  if (base != first) munmap(first, static_cast<size_t>(base - first));
  if (end != last) munmap(end, static_cast<size_t>(last - end));
  return base;
}

#if defined(__SANITIZE_THREAD__)
#define ESPALIER_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ESPALIER_THREAD_SANITIZER
#endif
#endif

// `to`: mapped memory that is replaced; null: any address. Null on failure.
std::byte* remap(std::byte* from, size_t old_bytes, size_t bytes, int flags, std::byte* to = nullptr) {
#ifdef ESPALIER_THREAD_SANITIZER
  // The thread sanitizer does not know mremap: if another arena moved to the old address, it would report a data race.
  if ((flags & MREMAP_MAYMOVE) == 0) return nullptr;
  if (to == nullptr) to = map_memory(bytes, PROT_READ | PROT_WRITE);
  if (to == nullptr || mprotect(to, bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::memcpy(to, from, old_bytes);
  munmap(from, old_bytes);
  return to;
#else
  void* p = to == nullptr ? mremap(from, old_bytes, bytes, flags) : mremap(from, old_bytes, bytes, flags, to);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
#endif
}

bool is_aligned(const std::byte* p) { return reinterpret_cast<uintptr_t>(p) % huge == 0; }

}  // namespace

Arena::Arena(Arena&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      committed_(std::exchange(other.committed_, 0)),
      growths_(other.growths_) {}

Arena::~Arena() {
  if (base_ != nullptr) munmap(base_, committed_);
}

// Remaps pages without copying. Huge pages stay whole if both addresses are aligned to one. Under an address-space
// limit the old and new ranges may not fit at once; then an unaligned range is used.
bool Arena::resize(size_t bytes) {
  const bool aligned = bytes >= huge;
  std::byte* to = nullptr;
  if (base_ == nullptr) {
    if (aligned) to = map_huge(bytes, PROT_READ | PROT_WRITE);
    if (to == nullptr) to = map_memory(bytes, PROT_READ | PROT_WRITE);
  } else {
    if (!aligned || is_aligned(base_)) to = remap(base_, committed_, bytes, 0);
    if (to == nullptr && aligned)
      if (std::byte* const target = map_huge(bytes, PROT_NONE)) {
        to = remap(base_, committed_, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, target);
        if (to == nullptr) munmap(target, bytes);
      }
    if (to == nullptr) to = remap(base_, committed_, bytes, MREMAP_MAYMOVE);
  }
  if (to == nullptr) return false;
  if (aligned) madvise(to, bytes, MADV_HUGEPAGE);  // a hint: without huge pages the arena works, but slower
  base_ = to;
  committed_ = bytes;
  return true;
}

void Arena::grow(size_t bytes) {
  if (bytes <= committed_) return;
  const size_t more = bytes - committed_, want = with_reserve(bytes);
  const MemoryLeft left = memory_left();
  if (more > left.bytes || (!(want - committed_ <= left.bytes && resize(want)) && !resize(round_to(bytes, smallest))))
    throw DeviceError("arena: rows need " + mib(bytes) + ", " + mib(more) + " more than allocated, but " +
                      (more > left.bytes
                           ? left.limit + " leaves " + mib(left.bytes)
                           : "the allocation failed (" + left.limit + " leaves " + mib(left.bytes) + ")") +
                      "; make the minibatch smaller");
  ++growths_;
}

}  // namespace espalier
