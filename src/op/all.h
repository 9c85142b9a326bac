// Every op as a type. Few files may include this; all others use the table.
#pragma once
#include <espalier/op/list.h>
#include "op/composed/attention.h"
#include "op/composed/contraction.h"
#include "op/composed/convolution.h"
#include "op/composed/distance.h"
#include "op/composed/loss.h"
#include "op/composed/masked.h"
#include "op/composed/mean.h"
#include "op/composed/moment.h"
#include "op/composed/norm.h"
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
#include "op/kernel/algebra.h"
#include "op/kernel/axis.h"
#include "op/kernel/cumulative.h"
#include "op/kernel/extrema.h"
#include "op/kernel/indexed.h"
#include "op/kernel/logsumexp.h"
#include "op/kernel/noise.h"
#include "op/kernel/product.h"
#include "op/kernel/rows.h"
#include "op/kernel/selection.h"
#include "op/kernel/sparsemax.h"
#include "op/kernel/window.h"

namespace espalier {

// Expands to ESPALIER_ONE(Op) for each op; its user defines ESPALIER_ONE.
#define ESPALIER_ONE_WITH_FUNCTION(name, Op, ...) ESPALIER_ONE(Op)
#define ESPALIER_ALL_OPS                           \
  ESPALIER_UNARY_OPS(ESPALIER_ONE_WITH_FUNCTION)   \
  ESPALIER_UNARY_OPS_1(ESPALIER_ONE_WITH_FUNCTION) \
  ESPALIER_BINARY_OPS(ESPALIER_ONE_WITH_FUNCTION)  \
  ESPALIER_OTHER_OPS(ESPALIER_ONE)

// Calls f.operator()<Op>() for each op.
template <class F>
void for_each_op(F&& f) {
#define ESPALIER_ONE(Op) f.template operator()<op::Op>();
  ESPALIER_ALL_OPS
#undef ESPALIER_ONE
}

}  // namespace espalier
