// Images of digits, as if written by many hands: the size and the classes of MNIST (LeCun et al. 1998), without its
// files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <espalier/base/export.h>

namespace espalier::data::digit_images {

inline constexpr int width = 28, height = 28, digits = 10;

struct Image {
  std::vector<float> pixels;  // height × width, row by row; 0 is paper, 1 is ink
  int digit = 0;
  bool operator==(const Image&) const = default;
};

// Example `index` of a seed: a digit whose strokes are bent, slanted, scaled and shifted, thin or thick, on paper with
// some noise. The same on every platform.
ESPALIER_API Image draw(uint64_t seed, uint64_t index);
// The examples 0 … n-1.
ESPALIER_API std::vector<Image> generate(size_t n, uint64_t seed);

}  // namespace espalier::data::digit_images
