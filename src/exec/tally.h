// What was done, and how long it took.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace espalier {

struct Tally {
  // walk: many steps in one launch, on a GPU. update: what is done to parameters and gradients between minibatches;
  // only a GPU counts it here.
  enum Kind { gather, product, elementwise, other, walk, accumulate, update, kinds };
  static constexpr std::array<std::string_view, kinds> names{"gather", "product",          "elementwise", "other ops",
                                                             "walk",   "weight gradients", "update"};
  std::array<uint64_t, kinds> launches{};
  std::array<double, kinds> seconds{};  // on a GPU: on the device, of launches that were timed and are over
  uint64_t copied_elements = 0;
  uint64_t weight_products = 0;
  double product_flops = 0;

  Tally& operator+=(const Tally& more) { return add(more, 1); }
  Tally& operator-=(const Tally& less) { return add(less, -1); }
  double all_seconds() const;
  uint64_t all_launches() const;

 private:
  Tally& add(const Tally& more, int sign);
};

}  // namespace espalier
