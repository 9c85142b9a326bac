// The base of composed ops, which are replaced by other ops and need neither gradient nor kernel.
#pragma once
#include "op/op.h"

namespace espalier::op {

// An op with attributes defines attr_names itself.
template <class A = NoAttrs>
struct Composed {
  using Attrs = A;
  static constexpr std::array<std::string_view, 0> attr_names{};
  static std::vector<Reject> rejects() { return {}; }
};

}  // namespace espalier::op
