// Synthetic images of handwritten digits with the size and the classes of MNIST (LeCun et al. 1998).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data::digit_images {

inline constexpr int width = 28, height = 28, digits = 10;

struct Image {
  std::vector<float> pixels;  // height × width, row-major; 0: paper, 1: ink
  int digit = 0;
  bool operator==(const Image&) const = default;
};

// Example `index` of this seed: a digit with randomly bent, slanted, scaled and shifted strokes of random width on a
// noisy background. The same on every platform.
ESPALIER_API Image draw(uint64_t seed, uint64_t index);
// Examples 0 … n-1.
ESPALIER_API std::vector<Image> generate(size_t n, uint64_t seed);

}  // namespace espalier::data::digit_images
