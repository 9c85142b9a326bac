#include "exec/cuda/launch/op_launcher.h"

#include <algorithm>

#include "exec/cuda/op/functions.h"
#include "exec/plain/plain.h"
#include "op/kernel/product.h"

namespace espalier {

void OpLauncher::launch(const DeviceStepRows& rows, const UploadedPlan& plan, const Kernel& k, bool train) {
  OpLaunch<float> l = op_launch(rows, plan.integers(rows.step), k, in_);
  l.train = train;
  l.data = plan.data();
  if (l.rows == 0) return;
  const bool is_product = multiplies_matrices(k.op);
  const auto timed = resources_.time(is_product ? KernelStats::product : KernelStats::other);
  if (is_product)
    products_.launch(l);
  else if (const CudaFunction function = cuda_function(k.op); function != nullptr)
    function(l, resources_.stream);
  else
    on_host(l);
  ++resources_.stats.launches[is_product ? KernelStats::product : KernelStats::other];
  if (is_product) resources_.stats.product_flops += product_flops(k, l.rows);
}

// A user-defined op has a kernel for the host only: its rows are copied to the host and back.
void OpLauncher::on_host(const OpLaunch<float>& l) {
  std::vector<std::vector<float>> copies;
  std::vector<Rows<const float>> in;
  for (size_t i = 0; i < l.in.size(); ++i) {
    const auto size = static_cast<size_t>(l.kernel->in_shapes[i].size());
    const size_t count = l.in[i].stride == 0 ? 1 : static_cast<size_t>(l.rows);
    std::vector<float>& copy = copies.emplace_back(size * count + 1);
    if (size > 0)
      check(cudaMemcpy2DAsync(copy.data(), size * sizeof(float), l.in[i].data,
                              std::max(static_cast<size_t>(l.in[i].stride), size) * sizeof(float), size * sizeof(float),
                              count, cudaMemcpyDeviceToHost, resources_.stream),
            "rows to the host");
    in.push_back({copy.data(), l.in[i].stride == 0 ? 0 : static_cast<int64_t>(size)});
  }
  resources_.times.release();
  check(cudaStreamSynchronize(resources_.stream), "waiting for rows");
  const auto size = static_cast<size_t>(l.kernel->out_shape.size());
  std::vector<float> out(size * static_cast<size_t>(l.rows) + 1);
  OpLaunch<float> there = l;
  there.in = in;
  there.out = {out.data(), static_cast<int64_t>(size)};
  plain_function<float>(l.kernel->op)(there);
  if (size > 0)
    check(cudaMemcpy2DAsync(l.out.data, std::max(static_cast<size_t>(l.out.stride), size) * sizeof(float), out.data(),
                            size * sizeof(float), size * sizeof(float), static_cast<size_t>(l.rows),
                            cudaMemcpyHostToDevice, resources_.stream),
          "rows from the host");
  check(cudaStreamSynchronize(resources_.stream), "waiting for rows");
}

}  // namespace espalier
