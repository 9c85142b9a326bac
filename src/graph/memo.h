// A hash table of earlier calls, keyed by a hash of their arguments. Open addressing with linear probing. Entries are
// removed in reverse order of insertion (revert, clear), so an emptied bucket never breaks the probe of another entry.
#pragma once
#include <cstdint>
#include <vector>

namespace espalier {

class Memo {
 public:
  static constexpr uint32_t none = ~uint32_t{0};

  // The call with this hash for which equal(call) is true, or none.
  template <class Equal>
  uint32_t find(uint32_t hash, Equal&& equal) const {
    if (buckets_.empty()) return none;
    for (size_t at = hash & mask();; at = (at + 1) & mask()) {
      if (buckets_[at].call == none) return none;
      if (buckets_[at].hash == hash && equal(buckets_[at].call)) return buckets_[at].call;
    }
  }
  // Calls must be added in ascending order.
  void add(uint32_t hash, uint32_t call) {
    if (entries_.size() * 2 >= buckets_.size()) grow();
    entries_.push_back({call, put({hash, call})});
  }
  void forget_from(uint32_t call) {
    for (; !entries_.empty() && entries_.back().call >= call; entries_.pop_back())
      buckets_[entries_.back().bucket].call = none;
  }

 private:
  struct Bucket {
    uint32_t hash = 0, call = none;
  };
  struct Entry {
    uint32_t call, bucket;
  };
  size_t mask() const { return buckets_.size() - 1; }
  uint32_t put(Bucket bucket) {
    size_t at = bucket.hash & mask();
    while (buckets_[at].call != none) at = (at + 1) & mask();
    buckets_[at] = bucket;
    return static_cast<uint32_t>(at);
  }
  void grow() {
    std::vector<Bucket> old(buckets_.empty() ? 64 : buckets_.size() * 2);
    old.swap(buckets_);
    for (Entry& e : entries_) e.bucket = put(old[e.bucket]);
  }

  std::vector<Bucket> buckets_;  // the size is a power of two; at most half full
  std::vector<Entry> entries_;   // in order of insertion
};

}  // namespace espalier
