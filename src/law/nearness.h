// How far from the reference a device may be, by the precision of its products.
#pragma once
#include <string>
#include <string_view>

#include <espalier/tensor/tensor.h>

namespace espalier::law {

// An element may differ by bound(precision) times the larger of its own size and the root mean square of its row, or
// gradient: where positive and negative terms cancel, what is lost is a part of the terms.
//
// f32: 1e-4. Sums of some hundred products in another order, and functions of a few ULP, come to 4e-6 in networks of
// ten steps.
//
// tf32, bf16: 16 times what a factor may be off, 2^-10 of itself in tf32 (11 significant bits; tensor cores cut the
// others off where nobody rounds them) and 2^-8 in bf16 (8 bits, rounded). Sums are f32. The errors of the k terms of a
// sum are independent of each other: their squares add up as those of the terms do, so that a product is off by as much
// as its factors are, whatever k. Of the many elements of a row the farthest counts, which is three to four times this;
// errors of earlier steps come along, and gradients go the way back, too: with factors rounded to the nearest the
// reference itself comes to 4 times in states and 8 in gradients of networks of ten to eighteen steps. A product that
// takes one column for another, or leaves 16 terms out, comes to four times the bound of tf32 and more. In bf16 it may
// hide in the bound: therefore the networks of whole numbers (recurrent.h), where nothing is rounded and all must be
// the same. What is claimed here is held by tests/laws/nearness_test.cc.
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

// The largest difference, in parts of what an element is measured by; `least` is what that is at the least. A NaN where
// there should be none is infinitely far.
double distance(const Tensor& got, const Tensor& want, double least = 0);

// Empty where it is near; else how far it is.
std::string too_far(const Tensor& got, const Tensor& want, Precision precision, double least = 0);

std::string_view name(Precision precision);

}  // namespace espalier::law
