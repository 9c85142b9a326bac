#include "exec/cpu/product/transposed.h"

#include <algorithm>
#include <cstring>

namespace espalier {
namespace {

constexpr int64_t side = 4;
using Four = float __attribute__((vector_size(16)));  // available on every machine, without a choice at run time

Four load(const float* from) {
  Four v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
void store(Four v, float* to) { std::memcpy(to, &v, sizeof v); }

// Transposes a block of 4 × 4.
void transpose_square(const float* from, int64_t n, float* to, int64_t m) {
  const Four a = load(from), b = load(from + n), c = load(from + 2 * n), d = load(from + 3 * n);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), to);
  store(__builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7), to + m);
  store(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), to + 2 * m);
  store(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7), to + 3 * m);
}

// In bands of 16 rows, so that cache lines are read and written completely before they are evicted.
void transpose(const float* from, int64_t m, int64_t n, float* to) {
  constexpr int64_t band = 16;
  const int64_t whole_m = m / side * side, whole_n = n / side * side;
  for (int64_t first = 0; first < whole_m; first += band)
    for (int64_t j = 0; j < whole_n; j += side)
      for (int64_t i = first; i < std::min(first + band, whole_m); i += side)
        transpose_square(from + i * n + j, n, to + j * m + i, m);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = i < whole_m ? whole_n : 0; j < n; ++j) to[j * m + i] = from[i * n + j];
}

}  // namespace

const float* Transposed::of(const float* w, int m, int n) {
  for (size_t i = 0; i < used_; ++i)
    if (copies_[i].from == w && copies_[i].m == m && copies_[i].n == n) return copies_[i].data.data();
  if (used_ == copies_.size()) copies_.emplace_back();
  Copy& copy = copies_[used_++];
  copy.from = w;
  copy.m = m;
  copy.n = n;
  copy.data.resize(static_cast<size_t>(m) * static_cast<size_t>(n));
  transpose(w, m, n, copy.data.data());
  return copy.data.data();
}

}  // namespace espalier
