// The data types of safetensors, and conversions to float.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

namespace espalier::io {

struct Dtype {
  std::string_view name;
  uint64_t bytes;
  bool readable;  // F32, or converted to it
};

inline constexpr Dtype dtypes[] = {
    {"F32", 4, true},  {"F64", 8, true},  {"F16", 2, true},  {"BF16", 2, true},     {"BOOL", 1, false},
    {"U8", 1, false},  {"I8", 1, false},  {"U16", 2, false}, {"I16", 2, false},     {"U32", 4, false},
    {"I32", 4, false}, {"U64", 8, false}, {"I64", 8, false}, {"F8_E4M3", 1, false}, {"F8_E5M2", 1, false},
};

// Null if the type is unknown.
inline const Dtype* find_dtype(std::string_view name) {
  for (const Dtype& dtype : dtypes)
    if (dtype.name == name) return &dtype;
  return nullptr;
}

inline float from_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. Exact; a NaN keeps its payload.
inline float from_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x400u) return std::bit_cast<float>(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
  const float small = static_cast<float>(magnitude) * 0x1p-24f;  // subnormal, or zero
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(small));
}

}  // namespace espalier::io
