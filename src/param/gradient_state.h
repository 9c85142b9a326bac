// What stands behind Gradients: one entry per parameter, dense or by rows. Their arithmetic is done where they are: on
// a device, where one has any of the numbers that are asked for, else on the host.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <espalier/param/gradients.h>
#include "base/workers.h"
#include "param/slot.h"

namespace espalier::detail {

struct GradientEntry {
  std::shared_ptr<Slot> slot;
  bool sparse = false;
  bool unset = false;  // dense: nothing was added yet, and what `values` hold is left from another time
  Integers rows;       // sparse: ascending, distinct; the host always has them
  Numbers values;      // sparse: rows.size() × row_size; dense: size()
};

struct WatchedEntry {
  const void* entry = nullptr;  // of the value's tape
  uint32_t value = 0, stamp = 0;
  Tensor gradient;
};

// A number that is known, and others that may still be computed.
class LossSum final : public PendingNumber {
 public:
  double get() const override;  // waits for all
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
  // Entries are kept when the state is used again, so that their memory is; only the first `used` count.
  std::vector<GradientEntry> entries;
  size_t used = 0;
  std::vector<WatchedEntry> watched;
  LossSum loss;
  std::vector<DeviceMemory::Sum> parts;  // of one addition; kept for its memory
  std::shared_ptr<Workers> workers;      // those of the engine that made them; none: one thread

  GradientEntry* find(const Slot* slot);
  const GradientEntry* find(const Slot* slot) const;
  // The entry of a parameter; a new one is empty, or unset: the first to add writes instead.
  GradientEntry& entry(const std::shared_ptr<Slot>& slot, bool sparse);
  void reset();
  // The first device that has some of them; null: the host.
  DeviceMemory* device() const;
};

// to += from, entry by entry; in several threads where `to` has workers.
void add(GradientState& to, const GradientState& from);
// to += from. A dense entry absorbs a sparse one; two sparse ones are merged by row.
void add(GradientEntry& to, const GradientEntry& from);
void make_dense(GradientEntry& entry);
void set_to_zero(GradientEntry& entry);  // if it is unset

double sum_of_squares(std::span<const float> values);  // on the host

}  // namespace espalier::detail
