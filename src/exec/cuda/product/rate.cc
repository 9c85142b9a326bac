// Measures the speed of a large product, with the code that executors use.
#include <algorithm>
#include <array>
#include <vector>

#include "base/random.h"
#include "exec/cuda/bf16/copy.h"
#include "exec/cuda/memory/buffers.h"
#include "exec/cuda/product/product.h"
#include "exec/executor.h"

namespace espalier {
namespace {

constexpr int64_t rows = 16384, size = 4096;  // X[rows,size] times W[size,size]
constexpr size_t warm_up = 2, repeats = 5;

struct Stream {
  Stream() { check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream"); }
  ~Stream() {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  cudaStream_t stream = nullptr;
};

struct Clock {  // an event of the device
  Clock() { check(cudaEventCreate(&event), "an event"); }
  ~Clock() { cudaEventDestroy(event); }
  cudaEvent_t event = nullptr;
};

// Random elements, as in a network: products of equal elements take less power, and therefore less time.
void fill(float* to, int64_t n) {
  std::vector<float> some(size_t{1} << 20);
  for (size_t i = 0; i < some.size(); ++i) some[i] = 2 * uniform(1, i) - 1;
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(some.size()))
    check(cudaMemcpy(to + i, some.data(), std::min(some.size(), static_cast<size_t>(n - i)) * sizeof(float),
                     cudaMemcpyHostToDevice),
          "numbers to multiply");
}

double median_seconds(CudaProducts& products, const Product& p, cudaStream_t stream) {
  std::array<Clock, repeats + 1> at;
  for (size_t i = 0; i < warm_up; ++i) products.multiply(p);
  for (size_t i = 0; i <= repeats; ++i) {
    check(cudaEventRecord(at[i].event, stream), "recording an event");
    if (i < repeats) products.multiply(p);
  }
  check(cudaStreamSynchronize(stream), "waiting for the device");
  std::array<float, repeats> ms{};
  for (size_t i = 0; i < repeats; ++i)
    check(cudaEventElapsedTime(&ms[i], at[i].event, at[i + 1].event), "time of a product");
  std::ranges::sort(ms);
  return static_cast<double>(ms[repeats / 2]) * 1e-3;
}

}  // namespace

double cuda_product_rate(int index, Precision precision) {
  CudaDevice& device = CudaDevice::open(index);
  device.use();
  DeviceBuffer<float> x, w, y;
  fill(x.need(rows * size), rows * size);
  fill(w.need(size * size), size * size);
  y.need(rows * size);
  const Stream stream;
  CudaProducts products(device, precision, stream.stream);
  DeviceBuffer<uint16_t> rounded_x, rounded_w;
  if (precision == Precision::bf16) {
    cuda_round(x.data(), std::array{RowsAt{0, size, rows, size}}, rounded_x.need(rows * size), stream.stream);
    cuda_round(w.data(), std::array{RowsAt{0, size, size, size}}, rounded_w.need(size * size), stream.stream);
  }
  double best = 0;
  for (const bool transposed : {true, false}) {  // W as in a forward step, and as in a backward step
    Product p{.transpose_b = transposed, .m = rows, .n = size, .k = size};
    p.a = {x.data(), size, 0};
    p.b = {w.data(), size, 0};
    p.c = {y.data(), size, 0};
    p.rounded_a = rounded_x.data();
    p.rounded_b = rounded_w.data();
    best = std::max(best, 2.0 * rows * size * size / median_seconds(products, p, stream.stream));
  }
  return best;
}

}  // namespace espalier
