// The gates of one node of the Tree-LSTM, forward and backward, as loops that the compiler vectorises.
#pragma once
#include <algorithm>
#include <bit>

namespace peers {

constexpr int H = 128, classes = 5;

// 2^x by a polynomial on [-½, ½]; relative error 2e-7.
inline float exp2_near(float x) {
  x = std::clamp(x, -126.f, 126.f);
  const float n = __builtin_rintf(x), r = x - n;
  float p = 1.5403530e-4f;
  p = p * r + 1.3333558e-3f;
  p = p * r + 9.6181291e-3f;
  p = p * r + 5.5504109e-2f;
  p = p * r + 2.4022651e-1f;
  p = p * r + 6.9314718e-1f;
  p = p * r + 1.f;
  return p * std::bit_cast<float>((static_cast<int>(n) + 127) << 23);
}
constexpr float log2e = 1.44269504f;
inline float sigmoid(float x) { return 1 / (1 + exp2_near(-log2e * x)); }
inline float tanh_near(float x) { return 1 - 2 / (1 + exp2_near(2 * log2e * x)); }

// A row of gates holds i, o, u, for a node f₁ and f₂, then tanh(c). It stores first the products, then the activations,
// finally the gradients of the products.
template <bool node>
constexpr int width = (node ? 6 : 4) * H + 16;  // an odd number of cache lines, to use all cache sets

// c1, c2: cell states of the children of a node.
template <bool node>
void forward(float* __restrict g, const float* __restrict b, const float* __restrict c1, const float* __restrict c2,
             float* __restrict h, float* __restrict c) {
#pragma omp simd
  for (int j = 0; j < H; ++j) {
    const float i = sigmoid(g[j] + b[j]), o = sigmoid(g[H + j] + b[H + j]), u = tanh_near(g[2 * H + j] + b[2 * H + j]);
    float state = i * u;
    if constexpr (node) {
      const float f1 = sigmoid(g[3 * H + j] + b[3 * H + j]), f2 = sigmoid(g[4 * H + j] + b[3 * H + j]);
      state += f1 * c1[j] + f2 * c2[j];
      g[3 * H + j] = f1;
      g[4 * H + j] = f2;
    }
    const float t = tanh_near(state);
    g[j] = i;
    g[H + j] = o;
    g[2 * H + j] = u;
    g[(node ? 5 : 3) * H + j] = t;
    c[j] = state;
    h[j] = o * t;
  }
}

// dh: gradient from the parent; ds: gradient of this row's scores; w: [classes, H]. Overwrites the cell states of the
// children with their gradients.
template <bool node>
void backward(float* __restrict g, const float* __restrict dh, const float* __restrict dc, const float* __restrict ds,
              const float* __restrict w, float* __restrict c1, float* __restrict c2, float* __restrict db) {
  const float s0 = ds[0], s1 = ds[1], s2 = ds[2], s3 = ds[3], s4 = ds[4];
#pragma omp simd
  for (int j = 0; j < H; ++j) {
    const float i = g[j], o = g[H + j], u = g[2 * H + j], t = g[(node ? 5 : 3) * H + j];
    const float d = dh[j] + s0 * w[j] + s1 * w[H + j] + s2 * w[2 * H + j] + s3 * w[3 * H + j] + s4 * w[4 * H + j];
    const float q = dc[j] + d * o * (1 - t * t);
    const float di = q * u * i * (1 - i), d_o = d * t * o * (1 - o), du = q * i * (1 - u * u);
    if constexpr (node) {
      const float f1 = g[3 * H + j], f2 = g[4 * H + j];
      const float d1 = q * c1[j] * f1 * (1 - f1), d2 = q * c2[j] * f2 * (1 - f2);
      c1[j] = q * f1;
      c2[j] = q * f2;
      g[3 * H + j] = d1;
      g[4 * H + j] = d2;
      db[3 * H + j] += d1 + d2;
    }
    g[j] = di;
    g[H + j] = d_o;
    g[2 * H + j] = du;
    db[j] += di;
    db[H + j] += d_o;
    db[2 * H + j] += du;
  }
}

}  // namespace peers
