// Counter-based random numbers: a pure function of key and counter, without state. Results depend neither on the order
// of execution nor on the rest of the batch.
#pragma once
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"

namespace espalier {

// The finaliser of splitmix64 (Steele, Lea, Flood 2014): every bit of x affects every bit of the result.
ESPALIER_HOST_DEVICE constexpr uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline constexpr uint64_t counter_step = 0xd1342543de82ef95u;  // makes nearby counters differ in all bits
ESPALIER_HOST_DEVICE constexpr uint64_t mix(uint64_t a, uint64_t b) { return mix(mix(a) ^ (b * counter_step)); }

constexpr uint64_t mix(std::string_view text) {
  uint64_t h = 0;
  for (char c : text) h = mix(h, static_cast<unsigned char>(c));
  return h;
}

// Uniform in [0, 1), 24 bits: exactly representable in float.
ESPALIER_HOST_DEVICE constexpr float uniform(uint64_t key, uint64_t counter) {
  return static_cast<float>(mix(key, counter) >> 40) * 0x1p-24f;
}

// Uniform in (0, 1], 53 bits: the logarithm is finite.
ESPALIER_HOST_DEVICE constexpr double above_zero(uint64_t key, uint64_t counter) {
  return (static_cast<double>(mix(key, counter) >> 11) + 1) * 0x1p-53;
}

// Normal with mean 0 and variance 1 (Box and Muller 1958).
ESPALIER_HOST_DEVICE inline float gaussian(uint64_t key, uint64_t counter) {
  const double v = static_cast<double>(mix(key, 2 * counter + 1) >> 11) * 0x1p-53;
  return static_cast<float>(std::sqrt(-2 * std::log(above_zero(key, 2 * counter))) * std::cos(6.283185307179586 * v));
}

}  // namespace espalier
