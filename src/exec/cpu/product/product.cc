#include "exec/cpu/product/product.h"

#include <algorithm>

#include <oneapi/dnnl/dnnl.h>

#include "exec/cpu/product/thin.h"
#include "exec/plain/product.h"

extern "C" void omp_set_num_threads(int);
extern "C" int omp_get_max_threads(void);

namespace espalier {
namespace {

// y = op(a) op(b) + beta y; y is [m,n], the inner size is k.
void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb,
          float beta, float* y, int64_t ldy) {
  dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, 1, a, lda, b, ldb, beta, y, ldy);
}

// Multiplies each vector of k elements with W, which is [k,n], or [n,k] if transposed; its rows are ldw elements apart.
// One product does all rows if their strides allow it.
void apply(const OpLaunch<float>& l, const float* W, int64_t ldw, bool transposed, int64_t n, int64_t k) {
  const Shape& shape = l.kernel->in_shapes[0];
  const int64_t vectors = shape.rank == 2 ? shape[0] : 1;
  const Rows<const float> x = l.in[0];
  const float beta = l.kernel->adds ? 1 : 0;
  if (l.rows == 0 || vectors == 0 || n == 0) return;
  if (k == 0) {
    if (l.kernel->adds) return;
    for (int64_t row = 0; row < l.rows; ++row) std::fill_n(l.out[row], vectors * n, 0.0f);
  } else if (x.stride == 0 && !l.kernel->adds) {  // one x for all rows
    gemm(false, transposed, vectors, n, k, x.data, k, W, ldw, 0, l.out.data, n);
    for (int64_t row = 1; row < l.rows; ++row) std::copy_n(l.out.data, vectors * n, l.out[row]);
  } else if (vectors == 1 && x.stride != 0) {
    gemm(false, transposed, l.rows, n, k, x.data, x.stride, W, ldw, beta, l.out.data, std::max(l.out.stride, n));
  } else if (x.stride == vectors * k && l.out.stride == vectors * n) {
    gemm(false, transposed, l.rows * vectors, n, k, x.data, k, W, ldw, beta, l.out.data, n);
  } else {
    for (int64_t row = 0; row < l.rows; ++row)
      gemm(false, transposed, vectors, n, k, x[row], k, W, ldw, beta, l.out[row], n);
  }
}

constexpr int64_t small_product = 400;  // multiplications; below this a call of oneDNN costs more than the work

}  // namespace

SingleThread::SingleThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
SingleThread::~SingleThread() { omp_set_num_threads(before_); }

// One vector per row, and a W with few rows.
bool is_thin(const OpLaunch<float>& l) {
  constexpr int64_t max_rows = 32;  // of the backward product; above this, oneDNN is faster in that direction
  return l.kernel->in_shapes[0].rank == 1 && l.kernel->in_shapes[1][0] <= max_thin &&
         (l.kernel->op == &info<op::Linear>() || l.rows <= max_rows);
}

void cpu_linear(const OpLaunch<float>& l) {
  const Shape& w = l.kernel->in_shapes[1];
  if (is_thin(l)) return thin_linear(l.rows, w[0], w[1], l.in[0], l.in[1].data, l.kernel->adds, l.out);
  apply(l, l.in[1].data, w[1], true, w[0], w[1]);
}

void cpu_linear_transposed(const OpLaunch<float>& l) {
  const Shape& w = l.kernel->in_shapes[1];
  if (is_thin(l)) return thin_linear_transposed(l.rows, w[0], w[1], l.in[0], l.in[1].data, l.kernel->adds, l.out);
  apply(l, l.in[1].data, w[1], false, w[1], w[0]);
}

void cpu_linear(const OpLaunch<float>& l, const float* copy, int64_t stride) {
  const Shape& w = l.kernel->in_shapes[1];
  const bool forward = l.kernel->op == &info<op::Linear>();
  apply(l, copy, stride, false, forward ? w[0] : w[1], forward ? w[1] : w[0]);
}

void cpu_matmul(const OpLaunch<float>& l) {
  const auto t = unerase<op::MatmulAttrs>(l.kernel->attrs);
  const Shape &a = l.kernel->in_shapes[0], &b = l.kernel->in_shapes[1];
  const int64_t m = l.kernel->out_shape[0], n = l.kernel->out_shape[1], k = t.transpose_a ? a[0] : a[1];
  if (m * n * k < small_product) return Plain<op::Matmul>::run(l);
  for (int64_t row = 0; row < l.rows; ++row)
    gemm(t.transpose_a, t.transpose_b, m, n, k, l.in[0][row], a[1], l.in[1][row], b[1], 0, l.out[row], n);
}

void cpu_product_gradient(int64_t rows, int m, int n, Rows<const float> dy, Rows<const float> x, bool adds, float* dw) {
  const int64_t size = static_cast<int64_t>(m) * n;
  if (size == 0) return;
  if (m <= max_thin) return thin_product_gradient(rows, m, n, dy, x, adds, dw);
  if (rows > 0 && (rows == 1 || (dy.stride >= m && x.stride >= n))) {
    gemm(true, false, m, n, rows, dy.data, std::max<int64_t>(dy.stride, m), x.data, std::max<int64_t>(x.stride, n),
         adds ? 1 : 0, dw, n);
    return;
  }
  if (!adds) std::fill_n(dw, size, 0.f);
  // All rows of dy, or of x, are the same row: multiply it by the sum of the rows of the other factor.
  auto sum_of = [&](Rows<const float> all, int64_t e) {
    double sum = 0;
    for (int64_t r = 0; r < rows; ++r) sum += static_cast<double>(all[r][e]);
    return static_cast<float>(sum);
  };
  if (dy.stride == 0)
    for (int64_t j = 0; j < n; ++j) {
      const float sum = sum_of(x, j);
      for (int64_t i = 0; i < m; ++i) dw[i * n + j] += dy.data[i] * sum;
    }
  else
    for (int64_t i = 0; i < m; ++i) {
      const float sum = sum_of(dy, i);
      for (int64_t j = 0; j < n; ++j) dw[i * n + j] += sum * x.data[j];
    }
}

}  // namespace espalier
