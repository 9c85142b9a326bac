// Aligned arrays of floats, and parameters with Adam.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <random>

namespace peers {

// An array of floats aligned to a cache line. Growing discards the contents.
class Floats {
 public:
  float* grow(size_t n) {
    if (n > size_) {
      size_ = (n + n / 4 + 15) / 16 * 16;
      data_.reset(static_cast<float*>(std::aligned_alloc(64, size_ * sizeof(float))));
      if (!data_) std::abort();
    }
    return data_.get();
  }
  float* row(size_t i, size_t width) { return data_.get() + i * width; }
  float* data() { return data_.get(); }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> data_;
  size_t size_ = 0;
};

struct Weights {
  Weights(size_t rows, size_t columns, float scale, std::mt19937& random) : size(rows * columns) {
    for (Floats* f : {&value, &gradient, &first, &second}) std::fill_n(f->grow(size), size, 0.f);
    std::uniform_real_distribution<float> uniform(-scale, scale);
    if (scale > 0)
      for (size_t i = 0; i < size; ++i) value.data()[i] = uniform(random);
  }
  size_t size;
  Floats value, gradient, first, second;
};

// Range of the initial values of a weight (Glorot and Bengio, 2010).
inline float glorot(int in, int out) { return std::sqrt(6.f / static_cast<float>(in + out)); }

// Adam(0.001); `step` counts from 1.
struct Adam {
  explicit Adam(int step) {
    const double c1 = 1 - std::pow(0.9, step), c2 = 1 - std::pow(0.999, step);
    rate = static_cast<float>(0.001 * std::sqrt(c2) / c1);
    epsilon = static_cast<float>(1e-8 * std::sqrt(c2));
  }
  void operator()(float* __restrict w, const float* __restrict g, float* __restrict m, float* __restrict v,
                  size_t n) const {
#pragma omp simd
    for (size_t i = 0; i < n; ++i) {
      m[i] = 0.9f * m[i] + 0.1f * g[i];
      v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
      w[i] -= rate * m[i] / (__builtin_sqrtf(v[i]) + epsilon);
    }
  }
  void operator()(Weights& w) const {
    (*this)(w.value.data(), w.gradient.data(), w.first.data(), w.second.data(), w.size);
  }
  float rate, epsilon;
};

}  // namespace peers
