// The tolerance of the comparison with the reference, by the precision of products.
#pragma once
#include <string>
#include <string_view>

#include <espalier/tensor/tensor.h>

namespace espalier::law {

// An element may differ by bound(precision) times the larger of its own magnitude and the root mean square of its row
// or gradient. The second term covers cancellation, where the error is relative to the terms of the sum.
//
// f32: 1e-4. Sums of some hundred products in another order, and functions with an error of a few ULP, reach 4e-6 in
// networks of ten steps.
//
// tf32, bf16: 16 times the relative error of a factor. This error is 2^-10 in tf32 (11 significant bits; tensor cores
// truncate factors that are not rounded before) and 2^-8 in bf16 (8 bits, rounded). Sums are f32. The errors of the k
// terms of a sum are independent, so their squares add up like the squares of the terms: the relative error of a
// product is that of its factors for every k. The maximum over a row is three to four times larger, and errors of
// earlier steps and of the backward pass add up: with rounded factors, the reference itself reaches 4 times the error
// of a factor in states and 8 times in gradients, in networks of ten to eighteen steps. A product that swaps two
// columns or drops 16 terms exceeds the tf32 bound by a factor of at least 4. In bf16 such a bug may stay below the
// bound; the integer networks of recurrent.h detect it, since nothing is rounded there. tests/laws/tolerance_test.cc
// checks these claims.
constexpr double bound(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return 1e-4;
    case Precision::tf32:
      return 16 * 0x1p-10;
    case Precision::bf16:
      return 16 * 0x1p-8;
  }
  return 0;
}

// The largest difference relative to the magnitude described above, which is at least `least`. Infinite if `got` has a
// NaN that `want` does not have.
double distance(const Tensor& got, const Tensor& want, double least = 0);

// Empty if the distance is within bound(precision); otherwise describes it.
std::string too_far(const Tensor& got, const Tensor& want, Precision precision, double least = 0);

std::string_view name(Precision precision);

}  // namespace espalier::law
