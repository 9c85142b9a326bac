// What composed ops share: they turn into the ops they are made of, and need no gradient and no kernel.
#pragma once
#include "op/op.h"

namespace espalier::op {

// `A` without attributes; an op that has some names them.
template <class A = NoAttrs>
struct Composed {
  using Attrs = A;
  static constexpr std::array<std::string_view, 0> attr_names{};
  static std::vector<Reject> rejects() { return {}; }
};

}  // namespace espalier::op
