// The implementation of Parameter.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <espalier/param/parameters.h>
#include "param/full_name.h"
#include "param/parameter_values.h"

namespace espalier::detail {

// The number of Parameters destroyed in the process.
inline std::atomic<uint64_t> detachments{0};

struct ParameterStorage {
  FullName name;
  Shape shape;
  Init init;                    // `data` is freed once the values exist
  ParameterValues data{*this};  // row-major, with 16 floats of padding: a vector load may read past the end
  uint64_t ordinal = 0;         // order of creation within its Parameters
  bool table = false;           // created by add_lookup
  bool dense = false;           // a table that some cell reads as a matrix; its gradient is dense from then on
  bool frozen = false;
  // Its Parameters were destroyed; without Parameters: all its handles. Atomic, because other threads may be clearing
  // graphs.
  std::atomic<bool> detached = false;
  std::weak_ptr<ParametersState> owner;  // empty: made by Parameter::make or Lookup::make

  size_t size() const { return static_cast<size_t>(shape.size()); }
  // Atomic, because other threads may be tracing cells.
  bool sparse() const { return table && !std::atomic_ref(const_cast<bool&>(dense)).load(std::memory_order_relaxed); }
  size_t row_size() const { return size() / static_cast<size_t>(shape.rank > 0 && shape[0] > 0 ? shape[0] : 1); }
};

// State that other components store with the Parameters, such as compiled cells and scratch memory for tracing.
struct OpaqueCache {
  virtual ~OpaqueCache() = default;
};

struct ParametersState {
  std::shared_ptr<Origin> origin = std::make_shared<Origin>();
  uint64_t made = 0;  // number of parameters created so far
  Drawn drawn = Drawn::at_once;
  // By name without the prefix.
  std::map<std::string, std::shared_ptr<ParameterStorage>, std::less<>> parameters;
  std::unique_ptr<OpaqueCache> cells;  // created and read by component `expr`
};

void check_init(const ParameterStorage& storage);  // ShapeError if its Init does not fit its shape
bool depends_on_name(const Init& how);             // whether the values are random
// Writes the initial values. The key depends on seed and full name.
void fill(const ParameterStorage& storage, uint64_t key, AlignedVector<float>& data);

// Whether the name matches: `*` matches any text, `?` any one character.
bool matches(std::string_view glob, std::string_view name);

}  // namespace espalier::detail
