// Copies of computed values on the host. A pointer to a copy is valid until its value is forgotten; memory is reused.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace espalier::detail {

class HostCopies {
 public:
  const float* find(uint32_t value) const { return value < at_.size() ? at_[value] : nullptr; }
  void set(uint32_t value, const float* at) {
    if (value >= at_.size()) at_.resize(value + size_t{1}, nullptr);
    at_[value] = at;
  }
  // Memory for n contiguous floats.
  float* take(size_t n) {
    while (chunk_ < chunks_.size() && used_ + n > chunks_[chunk_].size) {
      ++chunk_;
      used_ = 0;
    }
    if (chunk_ == chunks_.size()) {
      const size_t size = std::max(n, smallest << std::min<size_t>(chunk_, 8));
      chunks_.push_back({std::make_unique_for_overwrite<float[]>(size), size});
    }
    float* at = chunks_[chunk_].data.get() + used_;
    used_ += n;
    return at;
  }
  void forget_from(uint32_t value) {
    if (value < at_.size()) at_.resize(value);
    if (value == 0) chunk_ = used_ = 0;
  }

 private:
  static constexpr size_t smallest = 1024;
  struct Chunk {
    std::unique_ptr<float[]> data;
    size_t size;
  };
  std::vector<Chunk> chunks_;
  size_t chunk_ = 0, used_ = 0;
  std::vector<const float*> at_;  // per value
};

}  // namespace espalier::detail
