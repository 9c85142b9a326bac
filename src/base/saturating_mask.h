// A set of small indices in 64 bits. Indices from 63 on share the last bit, so a mask of any list is 8 bytes; a user of
// the mask must treat the indices that share it alike.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace espalier {

class SaturatingMask {
 public:
  static constexpr size_t shared = 63;  // the first of the indices that share a bit

  constexpr SaturatingMask() = default;  // no index
  static constexpr SaturatingMask all() { return ~SaturatingMask(); }
  static constexpr SaturatingMask of(size_t i) {
    SaturatingMask m;
    m.set(i);
    return m;
  }

  constexpr bool test(size_t i) const { return (bits_ >> std::min(i, shared) & 1) != 0; }
  constexpr void set(size_t i) { bits_ |= uint64_t{1} << std::min(i, shared); }
  constexpr bool any() const { return bits_ != 0; }
  constexpr bool contains(SaturatingMask other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr size_t first() const { return static_cast<size_t>(std::countr_zero(bits_)); }  // 64 if the mask is empty

  // f(i) for each bit, ascending; f(63) stands for all indices from 63 on.
  template <class F>
  constexpr void each(F&& f) const {
    for (uint64_t left = bits_; left != 0; left &= left - 1) f(static_cast<size_t>(std::countr_zero(left)));
  }

  constexpr bool operator==(const SaturatingMask&) const = default;
  constexpr SaturatingMask operator~() const { return SaturatingMask(~bits_); }
  constexpr SaturatingMask operator|(SaturatingMask m) const { return SaturatingMask(bits_ | m.bits_); }
  constexpr SaturatingMask operator&(SaturatingMask m) const { return SaturatingMask(bits_ & m.bits_); }
  constexpr SaturatingMask& operator|=(SaturatingMask m) { return *this = *this | m; }

 private:
  explicit constexpr SaturatingMask(uint64_t bits) : bits_(bits) {}

  uint64_t bits_ = 0;
};

}  // namespace espalier
