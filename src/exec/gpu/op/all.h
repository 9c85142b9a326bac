// The work items of all ops that are neither element-wise nor composed, except products with a shared matrix, which
// cuBLASLt computes.
#pragma once
#include "exec/gpu/op/algebra.h"
#include "exec/gpu/op/axis.h"
#include "exec/gpu/op/indexed.h"
#include "exec/gpu/op/lines.h"
#include "exec/gpu/op/noise.h"
#include "exec/gpu/op/product.h"
#include "exec/gpu/op/rows.h"
#include "exec/gpu/op/selection.h"
#include "exec/gpu/op/sparsemax.h"
#include "exec/gpu/op/window.h"
#include "op/all.h"

namespace espalier {

template <class Op>
concept InWorkItems = !requires { Op::elementwise; } && !requires { &Op::compose; } &&
                      !std::is_same_v<Op, op::Linear> && !std::is_same_v<Op, op::LinearTransposed>;

// Calls f.operator()<Op>() for each op with work items. An op without WorkItems does not compile.
template <class F>
void for_each_op_in_items(F&& f) {
  for_each_op([&]<class Op>() {
    if constexpr (InWorkItems<Op>) f.template operator()<Op>();
  });
}

}  // namespace espalier
