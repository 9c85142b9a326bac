// Draws an index from the distribution softmax(logits).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace espalier {

// `random` is 64 random bits. Requires at least one logit, no NaN, and a finite maximum.
inline int draw_index(std::span<const float> logits, uint64_t random) {
  const auto largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  auto weight = [&](float x) { return std::exp(static_cast<double>(x) - largest); };
  double total = 0;
  for (const float x : logits) total += weight(x);
  const double threshold = static_cast<double>(random >> 11) * 0x1p-53 * total;
  double below = 0;
  int chosen = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const double w = weight(logits[i]);
    if (w == 0) continue;
    chosen = static_cast<int>(i);  // stays the last index if rounding puts the threshold above the sum
    below += w;
    if (below > threshold) break;
  }
  return chosen;
}

}  // namespace espalier
