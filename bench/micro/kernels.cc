// The most time-consuming kernels: matrix products with the shapes of tree-lstm, element-wise functions, gathers.
#include <benchmark/benchmark.h>

#include <vector>

#include "exec/cpu/elementwise/elementwise.h"
#include "exec/cpu/functions.h"
#include "exec/cpu/product/product.h"
#include "exec/segment_sum.h"
#include "op/kernel/product.h"

namespace espalier::micro {
namespace {

std::vector<float> numbers(int64_t n) {
  std::vector<float> x(static_cast<size_t>(n));
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0.01f * static_cast<float>(i % 201) - 1;
  return x;
}

// ---- products of [rows, k] and [k, n]. (k, n) are those of tree-lstm: leaf, node, forget gate, class scores.
void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"rows", "k", "n"});
  for (const int rows : {1, 4, 16, 64, 256, 1024})
    for (const auto& [k, n] : {std::pair{128, 384}, {256, 384}, {128, 128}, {128, 5}}) b->Args({rows, k, n});
}
void count_flops(benchmark::State& state) {
  const double flops = 2.0 * static_cast<double>(state.range(0)) * static_cast<double>(state.range(1) * state.range(2));
  state.counters["flop/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

// y = W x, W[n,k], or y = Wᵀ x with W[k,n].
void product(benchmark::State& state, const OpInfo& op, bool transposed) {
  const SingleThread alone;
  const int64_t rows = state.range(0), k = state.range(1), n = state.range(2);
  const std::vector<float> x = numbers(rows * k), w = numbers(k * n);
  std::vector<float> y(static_cast<size_t>(rows * n));
  Kernel kernel;
  kernel.op = &op;
  kernel.in_shapes = {
      {static_cast<int>(k)},
      transposed ? Shape{static_cast<int>(k), static_cast<int>(n)} : Shape{static_cast<int>(n), static_cast<int>(k)}};
  kernel.out_shape = {static_cast<int>(n)};
  const Rows<const float> in[]{{x.data(), k}, {w.data(), 0}};
  OpLaunch<float> launch;
  launch.kernel = &kernel;
  launch.rows = rows;
  launch.in = in;
  launch.out = {y.data(), n};
  const OpFunction<float> function = cpu_function(&op);
  function(launch);  // warm-up: the first product of a shape generates its code
  for (auto _ : state) function(launch);
  count_flops(state);
}
void linear(benchmark::State& state) { product(state, info<op::Linear>(), false); }
void linear_transposed(benchmark::State& state) { product(state, info<op::LinearTransposed>(), true); }
BENCHMARK(linear)->Apply(shapes);
BENCHMARK(linear_transposed)->Apply(shapes);

void product_gradient(benchmark::State& state) {
  const SingleThread alone;
  const int64_t rows = state.range(0), k = state.range(1), n = state.range(2);
  const std::vector<float> x = numbers(rows * k), dy = numbers(rows * n);
  std::vector<float> dw(static_cast<size_t>(k * n));
  for (auto _ : state)
    cpu_product_gradient(rows, static_cast<int>(n), static_cast<int>(k), {dy.data(), n}, {x.data(), k}, false,
                         dw.data());
  count_flops(state);
}
BENCHMARK(product_gradient)->Apply(shapes);

// ---- an element-wise function of 4,096 elements
void function_of_a_vector(benchmark::State& state, Primitive primitive) {
  FusedKernel run;
  run.size = 4096;
  run.in.resize(1);
  run.out.push_back({{}, 1});
  run.registers = 2;
  run.code.push_back({primitive, 1, 0, 0, 0, 0});
  std::vector<float> x = numbers(run.size), y(run.size), scratch(cpu_fused_scratch(run));
  for (float& e : x) e = primitive == Primitive::logarithm ? e + 1.5f : 3 * e;
  const Rows<const float> in{x.data(), 0};
  const Rows<float> out{y.data(), 0};
  for (auto _ : state) cpu_fused({&run, 1, {&in, 1}, {&out, 1}}, scratch.data());
  state.SetItemsProcessed(state.iterations() * run.size);
}
BENCHMARK_CAPTURE(function_of_a_vector, copy, Primitive::copy);
BENCHMARK_CAPTURE(function_of_a_vector, exp, Primitive::exponential);
BENCHMARK_CAPTURE(function_of_a_vector, tanh, Primitive::hyperbolic_tangent);
BENCHMARK_CAPTURE(function_of_a_vector, sigmoid, Primitive::logistic);
BENCHMARK_CAPTURE(function_of_a_vector, log, Primitive::logarithm);

// ---- gathers rows of 128 elements; each is the sum of `sources` rows, which are read in scattered order
void gather(benchmark::State& state) {
  constexpr int64_t size = 128;
  const int64_t rows = state.range(0), sources = state.range(1);
  const std::vector<float> from = numbers(rows * sources * size);
  std::vector<float> to(static_cast<size_t>(rows * size));
  std::vector<uint32_t> source, offsets;
  for (int64_t i = 0; i < rows * sources; ++i)
    source.push_back(static_cast<uint32_t>(i * 7919 % (rows * sources) * size / unit));
  for (int64_t i = 0; i <= rows; ++i) offsets.push_back(static_cast<uint32_t>(i * sources));
  SegmentSum<float> sum;
  sum.base = from.data();
  sum.source = source.data();
  sum.offsets = sources == 1 ? nullptr : offsets.data();
  sum.rows = rows;
  sum.size = size;
  sum.out = to.data();
  sum.out_stride = size;
  for (auto _ : state) cpu_segment_sum(sum);
  state.SetBytesProcessed(state.iterations() * rows * (sources + 1) * size * int64_t{sizeof(float)});
}
BENCHMARK(gather)->ArgNames({"rows", "sources"})->ArgsProduct({{1, 16, 256, 4096}, {1, 2}});

}  // namespace
}  // namespace espalier::micro
