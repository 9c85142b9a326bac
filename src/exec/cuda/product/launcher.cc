#include "exec/cuda/product/launcher.h"

#include "exec/cuda/op/functions.h"
#include "op/kernel/product.h"

namespace espalier {

void ProductLauncher::launch(const OpLaunch<float>& l) {
  const OpInfo* const op = l.kernel->op;
  if (op == &info<op::Matmul>())
    matmul(l);
  else
    linear(l, op == &info<op::LinearTransposed>());
}

void ProductLauncher::multiply(Product& p, bool in_bf16) {
  if (in_bf16) bf16_.round(p);
  products_.multiply(p);
}

// Multiplies each vector of k elements with W, which is [n,k], or [k,n] if transposed. One product does all rows if
// their strides allow it.
void ProductLauncher::linear(const OpLaunch<float>& l, bool transposed) {
  const Shape &x = l.kernel->in_shapes[0], &w = l.kernel->in_shapes[1];
  const int64_t vectors = x.rank == 2 ? x[0] : 1, n = w[transposed ? 1 : 0], k = w[transposed ? 0 : 1];
  if (vectors == 0 || n == 0) return;
  Product p{.transpose_b = !transposed, .m = vectors, .n = n, .k = k};
  p.a = {l.in[0].data, k, l.in[0].stride};
  p.b = {l.in[1].data, w[1], 0};
  p.c = {l.out.data, n, l.out.stride};
  p.count = l.rows;
  p.beta = l.kernel->adds ? 1 : 0;
  if (k == 0) {
    if (!l.kernel->adds)
      check(cudaMemset2DAsync(l.out.data, static_cast<size_t>(l.out.stride) * sizeof(float), 0,
                              static_cast<size_t>(vectors * n) * sizeof(float), static_cast<size_t>(l.rows),
                              resources_.stream),
            "zeros");
    return;
  }
  const bool evenly = l.in[0].stride == vectors * k && l.out.stride == vectors * n;
  if (l.in[0].stride != 0 && (vectors == 1 || evenly)) {  // rows of one matrix
    p.m = l.rows * vectors;
    p.count = 1;
    p.a.stride = vectors == 1 ? l.in[0].stride : k;
    p.c.stride = vectors == 1 ? l.out.stride : n;
    p.a.apart = p.c.apart = 0;
  }
  multiply(p, multiplies_in_bf16(*l.kernel));
}

bool ProductLauncher::launch_with_epilogue(const DeviceStepRows& rows, const Kernel& k, const Kernel& fused) {
  if (k.kind != Kernel::Kind::op || fused.kind != Kernel::Kind::fused) return false;
  Found& found = epilogues_[fused.fused.serial];
  if (found.product != &k) found = {&k, epilogue_of(rows.step.program->code, k, fused)};
  const Rows<float> x = found.epilogue ? rows[k.in[0]] : Rows<float>{};
  const int64_t n = rows.count(k.space);
  if (x.stride == 0 || n == 0 || k.in_shapes[1].size() == 0) return false;
  const bool transposed = k.op == &info<op::LinearTransposed>();
  const Shape& w = k.in_shapes[1];
  const Rows<float> out = rows[found.epilogue->out];
  Product p{.transpose_b = !transposed, .m = n, .n = w[transposed ? 1 : 0], .k = w[transposed ? 0 : 1]};
  p.a = {x.data, x.stride, 0};
  p.b = {rows[k.in[1]].data, w[1], 0};
  p.c = {out.data, out.stride, 0};
  p.bias = rows[found.epilogue->bias].data;
  const auto timed = resources_.time(KernelStats::product);
  if (multiplies_in_bf16(k)) bf16_.round(p);
  if (!products_.try_multiply(p)) return false;
  ++resources_.stats.launches[KernelStats::product];
  resources_.stats.product_flops += product_flops(k, n);
  return true;
}

void ProductLauncher::matmul(const OpLaunch<float>& l) {
  const auto t = unerase<op::MatmulAttrs>(l.kernel->attrs);
  const Shape &a = l.kernel->in_shapes[0], &b = l.kernel->in_shapes[1];
  Product p{.transpose_a = t.transpose_a, .transpose_b = t.transpose_b};
  p.m = l.kernel->out_shape[0];
  p.n = l.kernel->out_shape[1];
  p.k = t.transpose_a ? a[0] : a[1];
  constexpr int64_t small = int64_t{16} * 16 * 16;  // multiplications per row; below this, cuBLASLt is mostly overhead
  if (p.m * p.n * p.k < small) return cuda_function(&info<op::Matmul>())(l, resources_.stream);
  p.a = {l.in[0].data, a[1], l.in[0].stride};
  p.b = {l.in[1].data, b[1], l.in[1].stride};
  p.c = {l.out.data, p.n, l.out.stride};
  p.count = l.rows;
  products_.multiply(p);
}

}  // namespace espalier
