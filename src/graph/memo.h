// Calls that were made before, found by a hash of what they were given. An open table with linear probing: entries go
// in the reverse order of their coming (revert, clear), so a slot that is freed breaks no later entry's search.
#pragma once
#include <cstdint>
#include <vector>

namespace espalier {

class Memo {
 public:
  static constexpr uint32_t none = ~uint32_t{0};

  // The call of that hash for which equal(call) holds, or none.
  template <class Equal>
  uint32_t find(uint32_t hash, Equal&& equal) const {
    if (slots_.empty()) return none;
    for (size_t at = hash & mask();; at = (at + 1) & mask()) {
      if (slots_[at].call == none) return none;
      if (slots_[at].hash == hash && equal(slots_[at].call)) return slots_[at].call;
    }
  }
  // Calls come in ascending order.
  void add(uint32_t hash, uint32_t call) {
    if (entries_.size() * 2 >= slots_.size()) grow();
    entries_.push_back({call, put({hash, call})});
  }
  void forget_from(uint32_t call) {
    for (; !entries_.empty() && entries_.back().call >= call; entries_.pop_back())
      slots_[entries_.back().slot].call = none;
  }

 private:
  struct Slot {
    uint32_t hash = 0, call = none;
  };
  struct Entry {
    uint32_t call, slot;
  };
  size_t mask() const { return slots_.size() - 1; }
  uint32_t put(Slot slot) {
    size_t at = slot.hash & mask();
    while (slots_[at].call != none) at = (at + 1) & mask();
    slots_[at] = slot;
    return static_cast<uint32_t>(at);
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (Entry& e : entries_) e.slot = put(old[e.slot]);
  }

  std::vector<Slot> slots_;     // a power of two, at most half full
  std::vector<Entry> entries_;  // as they came
};

}  // namespace espalier
