#include "exec/cpu/transposed.h"

#include <algorithm>

namespace espalier {
namespace {

constexpr int64_t tile = 16;  // floats of a cache line

void transpose(const float* from, int64_t m, int64_t n, float* to) {
  for (int64_t i0 = 0; i0 < m; i0 += tile)
    for (int64_t j0 = 0; j0 < n; j0 += tile) {
      const int64_t i1 = std::min(i0 + tile, m), j1 = std::min(j0 + tile, n);
      for (int64_t j = j0; j < j1; ++j)
        for (int64_t i = i0; i < i1; ++i) to[j * m + i] = from[i * n + j];
    }
}

}  // namespace

const float* Transposed::of(const float* w, int m, int n) {
  for (size_t i = 0; i < used_; ++i)
    if (copies_[i].from == w) return copies_[i].data.data();
  if (used_ == copies_.size()) copies_.emplace_back();
  Copy& copy = copies_[used_++];
  copy.from = w;
  copy.data.resize(static_cast<size_t>(m) * static_cast<size_t>(n));
  transpose(w, m, n, copy.data.data());
  return copy.data.data();
}

}  // namespace espalier
