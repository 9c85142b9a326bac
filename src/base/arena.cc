#include "base/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <utility>

#include <espalier/base/error.h>

namespace espalier {
namespace {

constexpr size_t page = size_t{2} << 20;  // grow in steps that a huge page could back

size_t round_up(size_t n) { return (n + page - 1) / page * page; }

}  // namespace

Arena::Arena(size_t reserve_bytes) : reserved_(round_up(reserve_bytes)) {
  void* p = mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw DeviceError("arena: " + std::to_string(reserved_ >> 20) +
                      " MiB of addresses cannot be reserved; the process is limited (ulimit -v)");
  base_ = static_cast<std::byte*>(p);
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
