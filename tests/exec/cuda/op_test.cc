// Every op on a GPU against the plain version in double, on its samples and on large rows, for thread groups of each
// size.
#include "exec/cuda/op/functions.h"

#include <cmath>

#include "exec/cuda/memory/buffers.h"
#include "exec/executor.h"
#include "exec/plain/plain.h"
#include "exec/samples.h"

namespace espalier {
namespace ESPALIER_FILE {

// Device copies of host arrays, for one launch.
class OnDevice {
 public:
  template <class T>
  T* copy(const T* host, int64_t n) {
    if (host == nullptr || n == 0) return nullptr;
    const size_t bytes = static_cast<size_t>(n) * sizeof(T);
    std::byte* to = memory_.emplace_back().need(bytes);
    check(cudaMemcpy(to, host, bytes, cudaMemcpyHostToDevice), "copy to the device");
    return reinterpret_cast<T*>(to);
  }
  template <class T>
  Rows<T> copy(const Rows<T>& rows, int64_t n, int64_t size) {
    return {copy(rows.data, extent(rows.stride, n, size)), rows.stride};
  }
  static int64_t extent(int64_t stride, int64_t rows, int64_t size) {
    return rows == 0 ? 0 : (rows - 1) * stride + size;
  }

 private:
  std::vector<DeviceBuffer<std::byte>> memory_;
};

int64_t rows_of_input(const OpLaunch<float>& l, size_t i) {
  const OpInfo& op = *l.kernel->op;
  const Role role = op.inputs[op.many ? 0 : i].role;
  if (role == Role::shared) return 1;
  if (role == Role::list) return l.segments.end(l.segments.calls - 1);
  return op.place == Place::list ? l.segments.calls : l.rows;
}

// Runs a launch with host pointers on the device, and copies the result back.
void run_on_device(const OpLaunch<float>& host) {
  const Kernel& k = *host.kernel;
  OnDevice device;
  OpLaunch<float> l = host;
  std::vector<Rows<const float>> in;
  for (size_t i = 0; i < host.in.size(); ++i)
    in.push_back(device.copy(host.in[i], rows_of_input(host, i), k.in_shapes[i].size()));
  l.in = in;
  const int64_t size = k.out_shape.size(), written = OnDevice::extent(host.out.stride, host.rows, size);
  l.out = device.copy(host.out, host.rows, size);
  l.segments.offsets = device.copy(host.segments.offsets, host.segments.calls + 1);
  l.keys = device.copy(host.keys, host.segments.calls);
  const bool reads_index = std::ranges::any_of(k.op->inputs, [](const Input& i) { return i.role == Role::index; });
  l.index = reads_index ? device.copy(host.index, host.rows) : nullptr;
  const bool reads_data = reads_index && host.in.empty() && k.op->doc.name == "input";
  l.data = reads_data ? device.copy(host.data, *std::max_element(host.index, host.index + host.rows) + size) : nullptr;
  cuda_function(k.op)(l, nullptr);
  check(cudaDeviceSynchronize(), "an op");
  if (written > 0)
    check(cudaMemcpy(host.out.data, l.out.data, static_cast<size_t>(written) * sizeof(float), cudaMemcpyDeviceToHost),
          "copy to the host");
}

// Lines for a thread, a part of a warp, a warp, a block and a large block; matrices that fit into the shared memory of
// a block, and larger ones.
std::vector<Sample> large_samples(const OpInfo& op) {
  std::vector<Sample> samples;
  const Attrs first = erase(op::AxisAttrs{0}), last = erase(op::AxisAttrs{1});
  if (op.attr_names.size() == 1 && op.attr_names[0] == "axis" && op.inputs.size() == 1 && !op.many)
    samples = {{last, {{3000, 9}}}, {last, {{5, 700}}},  {last, {{3, 1500}}},   {last, {{1, 20000}}},
               {first, {{700, 3}}}, {first, {{40, 90}}}, {first, {{20, 30000}}}};
  if (op.inputs.size() == 1 && op.inputs[0].role == Role::list) samples = {{{}, {{300}}}};
  for (const int n : {15, 700, 1500, 20000}) {
    if (&op == &info<op::CrossEntropy>()) samples.push_back({{}, {{n}, {}}, -20, 20});
    if (&op == &info<op::CrossEntropyGradient>()) samples.push_back({{}, {{n}, {}, {}}});
    if (&op == &info<op::SumElements>()) samples.push_back({{}, {{n}}});
    if (&op == &info<op::ConstrainedSoftmax>()) samples.push_back({{}, {{n}, {n}}, 0, 0.1});
  }
  if (&op == &info<op::Inverse>() || &op == &info<op::LogAbsDet>() || &op == &info<op::DetSign>())
    for (const int n : {12, 60, 150, 200}) samples.push_back({{}, {{n, n}}});
  return samples;
}

TEST(CudaOps, EveryOpHasAFunctionUnlessItRunsOtherwise) {
  for (const OpInfo* op : op_table()) {
    const bool other =
        op->elementwise || op->compose != nullptr || op == &info<op::Linear>() || op == &info<op::LinearTransposed>();
    EXPECT_EQ(cuda_function(op) == nullptr, other) << op->doc.name;
  }
}

TEST(CudaOps, EqualThePlainOnes) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  for (const OpInfo* op : op_table()) {
    if (cuda_function(op) == nullptr) continue;
    std::vector<Sample> samples = samples_of(*op);
    for (Sample& s : large_samples(*op)) samples.push_back(std::move(s));
    for (const Sample& sample : samples) {
      const std::vector<double> expect = run_sample<double>(*op, sample, plain_function<double>(op));
      const std::vector<float> got = run_sample<float>(*op, sample, run_on_device);
      ASSERT_EQ(got.size(), expect.size());
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], expect[i], 2e-5 * (1 + std::abs(expect[i])))
            << op->doc.name << "(" << op->text(sample.attrs) << ") of x" << str(sample.shapes.at(0)) << " at " << i;
      ASSERT_EQ(got, run_sample<float>(*op, sample, run_on_device)) << op->doc.name << " gives other bits each time";
    }
  }
}

// More items than a grid has threads.
TEST(CudaOps, ManyRows) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  constexpr int64_t rows = 20'000'003;
  DeviceBuffer<float> x, y;
  check(cudaMemset(x.need(2 * rows), 0, 2 * rows * sizeof(float)), "zeros");
  check(cudaMemset(y.need(2 * rows), 0xff, 2 * rows * sizeof(float)), "no zeros");
  Kernel k;
  k.attrs = erase(op::ShapeAttrs{{1}});
  k.in_shapes = {{}};
  k.out_shape = {1};
  const std::vector<Rows<const float>> in{{x.data(), 2}};
  OpLaunch<float> l;
  l.kernel = &k;
  l.rows = rows;
  l.in = in;
  l.out = {y.data(), 2};
  cuda_function (&info<op::Reshape>())(l, nullptr);
  std::vector<float> got(2 * rows);
  check(cudaMemcpy(got.data(), y.data(), got.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy to the host");
  for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(i % 2 == 0, got[i] == 0) << i;
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
