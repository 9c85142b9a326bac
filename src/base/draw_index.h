// One of several outcomes, drawn by softmax(logits).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace espalier {

// `random` is 64 random bits. There is a logit, none is NaN, and the largest is finite.
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
    chosen = static_cast<int>(i);  // the last, should rounding carry the threshold past the sum
    below += w;
    if (below > threshold) break;
  }
  return chosen;
}

}  // namespace espalier
