// Copies of weights in the layout that products read fastest. The executors of an engine share them: the first that
// needs a copy makes it, the others wait for it.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/aligned_vector.h"
#include "exec/cpu/product/weight_layout.h"

namespace espalier {

// A weight as it is stored, [m,n]. A parameter may be read in several shapes.
struct StoredWeight {
  const float* data = nullptr;
  int64_t m = 0, n = 0;
  bool operator==(const StoredWeight&) const = default;
};

struct WeightCopy {
  StoredWeight of;
  WeightLayout layout = WeightLayout::padded;
  uint64_t version = 0;  // of the parameters that it was made from
  int64_t stride = 0;    // elements from row to row; a transposed copy has n rows
  AlignedVector<float> data;
  std::atomic<bool> ready = false;
};

class WeightCopies {
 public:
  // `version`: the latest of any parameter. Returns when the copy is ready.
  std::shared_ptr<const WeightCopy> find_or_make(const StoredWeight& weight, WeightLayout layout, uint64_t version);

 private:
  void enter(uint64_t version);
  std::shared_ptr<WeightCopy> take_outdated(size_t size);

  std::mutex mutex_;
  uint64_t version_ = 0;                             // of the last call
  std::vector<std::shared_ptr<WeightCopy>> copies_;  // few: searched linearly
};

// The copies that one executor uses.
class UsedWeightCopies {
 public:
  explicit UsedWeightCopies(std::shared_ptr<WeightCopies> shared) : shared_(std::move(shared)) {}

  void begin();                  // before each run: parameters may have changed
  void end() { used_.clear(); }  // after each run: later copies may take the memory
  // Valid until end().
  const WeightCopy& of(const StoredWeight& weight, WeightLayout layout);

 private:
  std::shared_ptr<WeightCopies> shared_;
  uint64_t version_ = 0;
  std::vector<std::shared_ptr<const WeightCopy>> used_;
};

}  // namespace espalier
