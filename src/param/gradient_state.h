// The implementation of Gradients: one entry per parameter, dense or sparse (by rows). Arithmetic runs on the device
// that holds one of the operands, or on the host if no device does.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <espalier/param/gradients.h>
#include "base/workers.h"
#include "param/parameter_storage.h"

namespace espalier::detail {

struct GradientEntry {
  std::shared_ptr<ParameterStorage> parameter;
  bool sparse = false;
  bool unset = false;     // dense: nothing was added yet, and `values` holds stale data
  MirroredInts rows;      // sparse: ascending, distinct, always valid on the host
  MirroredFloats values;  // sparse: rows.size() × row_size; dense: size()
  // Memory of ShardSums: a sparse sum cannot be formed in place by several threads.
  AlignedVector<int32_t> replaced_rows;
  AlignedVector<float> replaced_values;
};

struct WatchedEntry {
  const void* entry = nullptr;  // the tape entry of the watched value
  uint32_t value = 0, stamp = 0;
  Tensor gradient;
};

// The sum of a known number and terms that may still be pending on a device.
class LossSum final : public PendingNumber {
 public:
  double get() const override;  // blocks until all terms are known
  void add(double number) { known_ += number; }
  void add(std::shared_ptr<const PendingNumber> number, double factor) {
    terms_.push_back({std::move(number), factor});
  }
  void add(const LossSum& other);
  void scale(double factor);
  void clear();

 private:
  struct Term {
    std::shared_ptr<const PendingNumber> number;
    double factor;
  };
  double known_ = 0;
  std::vector<Term> terms_;
};

struct GradientState {
  // Entries beyond the first `used` are kept only to reuse their memory.
  std::vector<GradientEntry> entries;
  size_t used = 0;
  std::vector<WatchedEntry> watched;
  LossSum loss;
  std::vector<DeviceMemory::Sum> parts;  // scratch memory of add()
  std::shared_ptr<Workers> workers;      // the engine's; null: single-threaded

  GradientEntry* find(const ParameterStorage* storage);
  const GradientEntry* find(const ParameterStorage* storage) const;
  // The entry of a parameter. A new sparse entry is empty; a new dense one is unset, so the first add() overwrites it.
  GradientEntry& entry(const std::shared_ptr<ParameterStorage>& storage, bool sparse);
  void reset();
  // The first device that holds any of the gradients; null: the host.
  DeviceMemory* device() const;
};

// to += from, entry by entry; multi-threaded if `to` has workers.
void add(GradientState& to, const GradientState& from);
// to += from. The sum of a dense and a sparse entry is dense; two sparse entries are merged by row.
void add(GradientEntry& to, const GradientEntry& from);
void make_dense(GradientEntry& entry);
void set_to_zero(GradientEntry& entry);  // only if the entry is unset

double sum_of_squares(std::span<const float> values);  // on the host

}  // namespace espalier::detail
