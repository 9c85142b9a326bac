// What stands behind Gradients: one entry per parameter, dense or by rows.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <espalier/param/gradients.h>
#include "base/workers.h"
#include "param/slot.h"

namespace espalier::detail {

struct GradientEntry {
  std::shared_ptr<Slot> slot;
  bool sparse = false;
  bool unset = false;         // dense: nothing was added yet, and what `values` hold is left from another time
  std::vector<int32_t> rows;  // sparse: ascending, distinct
  std::vector<float> values;  // sparse: rows.size() × row_size; dense: size()
};

struct WatchedEntry {
  const void* tape = nullptr;
  uint32_t value = 0, stamp = 0;
  Tensor gradient;
};

struct GradientState {
  // Entries are kept when the state is used again, so that their memory is; only the first `used` count.
  std::vector<GradientEntry> entries;
  size_t used = 0;
  std::vector<WatchedEntry> watched;
  std::shared_ptr<double> loss = std::make_shared<double>(0);
  struct Part {
    float* to;
    const float* from;
    size_t n;
  };
  std::vector<Part> parts;           // of one addition; kept for its memory
  std::shared_ptr<Workers> workers;  // those of the engine that made them; none: one thread

  GradientEntry* find(const Slot* slot);
  const GradientEntry* find(const Slot* slot) const;
  // The entry of a parameter; a new one is empty, or unset: the first to add writes instead.
  GradientEntry& entry(const std::shared_ptr<Slot>& slot, bool sparse);
  void reset();
};

// to += from, entry by entry; in several threads where `to` has workers.
void add(GradientState& to, const GradientState& from);
// to += from. A dense entry absorbs a sparse one; two sparse ones are merged by row.
void add(GradientEntry& to, const GradientEntry& from);
void make_dense(GradientEntry& entry);
void set_to_zero(GradientEntry& entry);  // if it is unset

}  // namespace espalier::detail
