// Products of small matrices, one pair per row. See op/kernel/product.h.
#pragma once
#include "exec/gpu/op/work_items.h"
#include "op/kernel/product.h"

namespace espalier {

template <>
struct WorkItems<op::Matmul> : Elements<WorkItems<op::Matmul>> {
  Rows<const float> a, b;
  Divisor n;
  int64_t depth;
  int64_t a_row, a_step, b_step, b_column;  // strides: rows of a, depth in a, depth in b, columns of b

  explicit WorkItems(const OpLaunch<float>& l) : Elements(l), a(l.in[0]), b(l.in[1]), n(l.kernel->out_shape[1]) {
    const auto t = unerase<op::MatmulAttrs>(l.kernel->attrs);
    const Shape &as = l.kernel->in_shapes[0], &bs = l.kernel->in_shapes[1];
    depth = t.transpose_a ? as[0] : as[1];
    a_row = t.transpose_a ? 1 : as[1];
    a_step = t.transpose_a ? as[1] : 1;
    b_step = t.transpose_b ? 1 : bs[1];
    b_column = t.transpose_b ? bs[1] : 1;
  }
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const {
    const float *x = a[row] + e / n * a_row, *z = b[row] + e % n * b_column;
    float sum = 0;
    for (int64_t k = 0; k < depth; ++k) sum += x[k * a_step] * z[k * b_step];
    return sum;
  }
};

}  // namespace espalier
