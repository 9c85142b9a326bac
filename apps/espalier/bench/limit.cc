#include "bench/limit.h"

#include <algorithm>
#include <chrono>

#include <oneapi/dnnl/dnnl.h>

#include "exec/cpu/product.h"

namespace espalier::app::bench {
namespace {

constexpr int size = 1024, repeats = 4;

}  // namespace

ProductLimit::ProductLimit(int threads) : of_thread_(static_cast<size_t>(threads)) {
  constexpr size_t elements = size_t{size} * size;
  for (Matrices& m : of_thread_)
    m = {std::vector<float>(elements, 0.5f), std::vector<float>(elements, 0.25f), std::vector<float>(elements)};
}

void ProductLimit::sample() {
  const auto multiply = [&](size_t thread) {
    const SingleThread single;
    Matrices& m = of_thread_[thread];
    dnnl_sgemm('N', 'N', size, size, size, 1, m.a.data(), size, m.b.data(), size, 0, m.c.data(), size);
  };
  for (int r = 0; r < repeats; ++r) {
    const auto start = std::chrono::steady_clock::now();
    workers_.run(of_thread_.size(), multiply);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best_ = std::max(best_, static_cast<double>(of_thread_.size()) * 2 * size * size * size / seconds);
  }
}

}  // namespace espalier::app::bench
