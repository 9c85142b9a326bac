// The arithmetic of Adam over contiguous numbers.
#pragma once
#include <cstddef>

namespace espalier::detail {

// Every element: g = scale · gradient + l2 · p;  m = beta1 · m + (1 - beta1) g;  v = beta2 · v + (1 - beta2) g²;
// p = shrink · p - rate · m / (correct2 · √v + eps).
struct AdamLoop {
  float scale, l2, shrink, beta1, beta2, rate, correct2, eps;
};
void adam_loop(const AdamLoop& a, float* p, const float* gradient, float* m, float* v, size_t n);

}  // namespace espalier::detail
