// Free ranges of the arena while a plan is made. First fit; adjacent free ranges are merged.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace espalier {

class FreeList {
 public:
  void start(uint64_t bottom) {
    top_ = bottom;
    holes_.clear();
  }

  uint64_t take(uint64_t size) {
    if (size == 0) return top_;
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
      if (hole->size < size) continue;
      const uint64_t at = hole->offset;
      hole->offset += size;
      hole->size -= size;
      if (hole->size == 0) holes_.erase(hole);
      return at;
    }
    const uint64_t at = top_;
    top_ += size;
    return at;
  }

  void give(uint64_t offset, uint64_t size) {
    if (size == 0) return;
    auto next = std::lower_bound(holes_.begin(), holes_.end(), offset,
                                 [](const Hole& h, uint64_t at) { return h.offset < at; });
    if (next != holes_.begin() && std::prev(next)->offset + std::prev(next)->size == offset) {
      --next;
      next->size += size;
    } else {
      next = holes_.insert(next, {offset, size});
    }
    if (std::next(next) != holes_.end() && next->offset + next->size == std::next(next)->offset) {
      next->size += std::next(next)->size;
      holes_.erase(std::next(next));
    }
  }

  uint64_t top() const { return top_; }  // the end of all elements taken so far

 private:
  struct Hole {
    uint64_t offset, size;
  };
  std::vector<Hole> holes_;
  uint64_t top_ = 0;
};

}  // namespace espalier
