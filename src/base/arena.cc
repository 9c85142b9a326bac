#include "base/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <espalier/base/error.h>

namespace espalier {
namespace {

// Huge pages: a step walks through some twenty regions at once, and with small ones each row is a new entry for the
// translation cache.
constexpr size_t page = size_t{2} << 20;

size_t round_up(size_t n) { return (n + page - 1) / page * page; }

}  // namespace

Arena::Arena(size_t reserve_bytes) : reserved_(round_up(reserve_bytes)) {
  void* p = mmap(nullptr, reserved_ + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw DeviceError("arena: " + std::to_string(reserved_ >> 20) +
                      " MiB of addresses cannot be reserved; the process is limited (ulimit -v)");
  // Addresses around the first whole huge page are given back.
  auto* first = static_cast<std::byte*>(p);
  base_ = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<uintptr_t>(first)));
  if (base_ != first) munmap(first, static_cast<size_t>(base_ - first));
  std::byte* const end = base_ + reserved_;
  if (end != first + reserved_ + page) munmap(end, static_cast<size_t>(first + reserved_ + page - end));
  madvise(base_, reserved_, MADV_HUGEPAGE);  // a wish: without it everything works, slower
}

Arena::Arena(Arena&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      reserved_(other.reserved_),
      committed_(other.committed_),
      growths_(other.growths_) {}

Arena::~Arena() {
  if (base_ != nullptr) munmap(base_, reserved_);
}

void Arena::grow(size_t bytes) {
  if (bytes <= committed_) return;
  // An eighth more than asked for: minibatches of nearly equal size settle after a few.
  const size_t want = std::min(round_up(bytes + bytes / 8), reserved_);
  if (bytes > want || mprotect(base_ + committed_, want - committed_, PROT_READ | PROT_WRITE) != 0)
    throw DeviceError("arena: " + std::to_string(bytes >> 20) + " MiB are needed and " +
                      std::to_string(reserved_ >> 20) + " MiB are reserved; make the minibatch smaller");
  committed_ = want;
  ++growths_;
}

}  // namespace espalier
