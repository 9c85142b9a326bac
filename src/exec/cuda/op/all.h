// The pieces of every op that runs on its own: of those that are neither element-wise nor composed, all but the
// products with a shared matrix, which are a library's.
#pragma once
#include "exec/cuda/op/algebra.h"
#include "exec/cuda/op/axis.h"
#include "exec/cuda/op/indexed.h"
#include "exec/cuda/op/lines.h"
#include "exec/cuda/op/noise.h"
#include "exec/cuda/op/product.h"
#include "exec/cuda/op/rows.h"
#include "exec/cuda/op/selection.h"
#include "exec/cuda/op/sparsemax.h"
#include "exec/cuda/op/window.h"
#include "op/all.h"

namespace espalier {

template <class Op>
concept InPieces = !requires { Op::elementwise; } && !requires { &Op::compose; } && !std::is_same_v<Op, op::Linear> &&
                   !std::is_same_v<Op, op::LinearTransposed>;

// f.operator()<Op>() for each op in pieces. One without does not compile where its pieces are used.
template <class F>
void for_each_op_in_pieces(F&& f) {
  for_each_op([&]<class Op>() {
    if constexpr (InPieces<Op>) f.template operator()<Op>();
  });
}

}  // namespace espalier
