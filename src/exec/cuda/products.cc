// Ops on the GPU: products go to cuBLASLt, ops from outside to the host, all others to kernels of their own.
#include <algorithm>
#include <vector>

#include "exec/cuda/executor.h"
#include "exec/cuda/op/functions.h"
#include "exec/plain/plain.h"
#include "op/kernel/product.h"

namespace espalier {

void CudaExecutor::launch_op(const Plan& plan, const PlanStep& step, const Kernel& k) {
  in_.clear();
  for (const RowsOf& i : k.in) {
    const Rows<float> r = rows(plan, step, i);
    in_.push_back({r.data, r.stride});
  }
  OpLaunch<float> l;
  l.kernel = &k;
  l.rows = rows_in(step, k.space);
  l.in = in_;
  l.out = rows(plan, step, k.out);
  if (const int list = k.list >= 0 ? k.list : k.space - 1; list >= 0) l.segments = segments(step, list);
  if (k.index >= 0) l.index = column(step, static_cast<size_t>(k.index));
  if (k.op->random) l.keys = upload_.at<uint64_t>(place(step).keys) + step.first;
  l.train = inputs_.train;
  l.data = upload_.at<float>(data_) - first_data_;
  if (l.rows == 0) return;
  const bool is_linear = k.op == &info<op::Linear>(), is_transposed = k.op == &info<op::LinearTransposed>();
  const bool is_product = is_linear || is_transposed || k.op == &info<op::Matmul>();
  const auto timed = time(is_product ? Tally::product : Tally::other);
  if (is_linear || is_transposed)
    linear(l, is_transposed);
  else if (is_product)
    matmul(l);
  else if (const CudaFunction function = cuda_function(k.op); function != nullptr)
    function(l, stream_.stream);
  else
    on_host(l);
  ++tally.launches[is_product ? Tally::product : Tally::other];
  if (is_product) tally.product_flops += static_cast<double>(l.rows) * k.op->flops(k.attrs, k.in_shapes, k.out_shape);
}

// Each vector of k elements times W, which is [n,k], or [k,n] if transposed; all in one product where they lie evenly.
void CudaExecutor::linear(const OpLaunch<float>& l, bool transposed) {
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
                              stream_.stream),
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
  if (multiplies_in_bf16(*l.kernel)) shadow_.round(p);
  products_.multiply(p);
}

// With the run behind it, where cuBLASLt can do what that does.
bool CudaExecutor::multiply_with_run(const Plan& plan, const PlanStep& step, const Kernel& k, const Kernel& run) {
  if (k.kind != Kernel::Kind::op || run.kind != Kernel::Kind::run) return false;
  Behind& behind = behind_[run.run.serial];
  if (behind.product != &k) behind = {&k, epilogue_of(step.program->code, k, run)};
  const Rows<float> x = behind.epilogue ? rows(plan, step, k.in[0]) : Rows<float>{};
  const int64_t n = rows_in(step, k.space);
  if (x.stride == 0 || n == 0 || k.in_shapes[1].size() == 0) return false;
  const bool transposed = k.op == &info<op::LinearTransposed>();
  const Shape& w = k.in_shapes[1];
  const Rows<float> out = rows(plan, step, behind.epilogue->out);
  Product p{.transpose_b = !transposed, .m = n, .n = w[transposed ? 1 : 0], .k = w[transposed ? 0 : 1]};
  p.a = {x.data, x.stride, 0};
  p.b = {rows(plan, step, k.in[1]).data, w[1], 0};
  p.c = {out.data, out.stride, 0};
  p.bias = rows(plan, step, behind.epilogue->bias).data;
  const auto timed = time(Tally::product);
  if (multiplies_in_bf16(k)) shadow_.round(p);
  if (!products_.try_multiply(p)) return false;
  ++tally.launches[Tally::product];
  tally.product_flops += static_cast<double>(n) * k.op->flops(k.attrs, k.in_shapes, k.out_shape);
  return true;
}

void CudaExecutor::matmul(const OpLaunch<float>& l) {
  const auto t = unerase<op::MatmulAttrs>(l.kernel->attrs);
  const Shape &a = l.kernel->in_shapes[0], &b = l.kernel->in_shapes[1];
  Product p{.transpose_a = t.transpose_a, .transpose_b = t.transpose_b};
  p.m = l.kernel->out_shape[0];
  p.n = l.kernel->out_shape[1];
  p.k = t.transpose_a ? a[0] : a[1];
  constexpr int64_t small = 16 * 16 * 16;  // multiplications of a row below which a product is mostly overhead
  if (p.m * p.n * p.k < small) return cuda_function(&info<op::Matmul>())(l, stream_.stream);
  p.a = {l.in[0].data, a[1], l.in[0].stride};
  p.b = {l.in[1].data, b[1], l.in[1].stride};
  p.c = {l.out.data, p.n, l.out.stride};
  p.count = l.rows;
  products_.multiply(p);
}

// An op from outside has a kernel for the host alone: its rows go there and come back.
void CudaExecutor::on_host(const OpLaunch<float>& l) {
  std::vector<std::vector<float>> copies;
  std::vector<Rows<const float>> in;
  for (size_t i = 0; i < l.in.size(); ++i) {
    const auto size = static_cast<size_t>(l.kernel->in_shapes[i].size());
    const size_t count = l.in[i].stride == 0 ? 1 : static_cast<size_t>(l.rows);
    std::vector<float>& copy = copies.emplace_back(size * count + 1);
    if (size > 0)
      check(cudaMemcpy2DAsync(copy.data(), size * sizeof(float), l.in[i].data,
                              std::max(static_cast<size_t>(l.in[i].stride), size) * sizeof(float), size * sizeof(float),
                              count, cudaMemcpyDeviceToHost, stream_.stream),
            "rows to the host");
    in.push_back({copy.data(), l.in[i].stride == 0 ? 0 : static_cast<int64_t>(size)});
  }
  times_.release();
  check(cudaStreamSynchronize(stream_.stream), "waiting for rows");
  const auto size = static_cast<size_t>(l.kernel->out_shape.size());
  std::vector<float> out(size * static_cast<size_t>(l.rows) + 1);
  OpLaunch<float> there = l;
  there.in = in;
  there.out = {out.data(), static_cast<int64_t>(size)};
  plain_function<float>(l.kernel->op)(there);
  if (size > 0)
    check(cudaMemcpy2DAsync(l.out.data, std::max(static_cast<size_t>(l.out.stride), size) * sizeof(float), out.data(),
                            size * sizeof(float), size * sizeof(float), static_cast<size_t>(l.rows),
                            cudaMemcpyHostToDevice, stream_.stream),
          "rows from the host");
  check(cudaStreamSynchronize(stream_.stream), "waiting for rows");
}

}  // namespace espalier
