// Every op, as types. Few files may include this: everybody else sees the table.
#pragma once
#include <espalier/op/list.h>
#include "op/algebra.h"
#include "op/attention.h"
#include "op/axis.h"
#include "op/contraction.h"
#include "op/convolution.h"
#include "op/cumulative.h"
#include "op/distance.h"
#include "op/elementwise.h"
#include "op/elementwise/activation.h"
#include "op/elementwise/choice.h"
#include "op/elementwise/exponential.h"
#include "op/elementwise/gradient_flow.h"
#include "op/elementwise/hyperbolic.h"
#include "op/elementwise/power.h"
#include "op/elementwise/rounding.h"
#include "op/elementwise/special.h"
#include "op/elementwise/trigonometric.h"
#include "op/extrema.h"
#include "op/indexed.h"
#include "op/logsumexp.h"
#include "op/loss.h"
#include "op/masked.h"
#include "op/mean.h"
#include "op/moment.h"
#include "op/noise.h"
#include "op/norm.h"
#include "op/product.h"
#include "op/rows.h"
#include "op/selection.h"
#include "op/sparsemax.h"
#include "op/window.h"

namespace espalier {

// Calls f.operator()<Op>() for each op.
template <class F>
void for_each_op(F&& f) {
#define ESPALIER_ONE(name, Op, ...) f.template operator()<op::Op>();
#define ESPALIER_ONE_OTHER(Op) f.template operator()<op::Op>();
  ESPALIER_UNARY_OPS(ESPALIER_ONE)
  ESPALIER_UNARY_OPS_1(ESPALIER_ONE)
  ESPALIER_BINARY_OPS(ESPALIER_ONE)
  ESPALIER_OTHER_OPS(ESPALIER_ONE_OTHER)
#undef ESPALIER_ONE
#undef ESPALIER_ONE_OTHER
}

}  // namespace espalier
