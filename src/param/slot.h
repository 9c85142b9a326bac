// What stands behind a Parameter.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <espalier/param/parameters.h>
#include "param/parameter_numbers.h"

namespace espalier::detail {

struct Slot {
  std::string name;
  Shape shape;
  ParameterNumbers data;  // row-major, and 16 floats more: a vector load may read past the end
  uint64_t ordinal = 0;   // order of making within its Parameters
  bool table = false;     // made by add_lookup
  bool dense = false;     // a table that some cell reads as a matrix: its gradient is dense from then on
  bool frozen = false;
  bool detached = false;  // its Parameters are gone

  size_t size() const { return static_cast<size_t>(shape.size()); }
  // Cells may be traced meanwhile, by other threads.
  bool sparse() const { return table && !std::atomic_ref(const_cast<bool&>(dense)).load(std::memory_order_relaxed); }
  size_t row_size() const { return size() / static_cast<size_t>(shape.rank > 0 && shape[0] > 0 ? shape[0] : 1); }
};

// Anything that other components keep with the Parameters: cells that were made, memory for tracing.
struct Keepsake {
  virtual ~Keepsake() = default;
};

struct ParametersState {
  uint64_t seed = 0;
  Device device;
  uint64_t made = 0;
  std::map<std::string, std::shared_ptr<Slot>, std::less<>> slots;
  std::unique_ptr<Keepsake> cells;
};

void fill(Slot& slot, const Init& how, uint64_t seed);

// Whether a name matches: `*` is any text, `?` any character.
bool matches(std::string_view glob, std::string_view name);

}  // namespace espalier::detail
