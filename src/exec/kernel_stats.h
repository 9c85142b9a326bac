// Counts and times of kernel launches.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace espalier {

struct KernelStats {
  // persistent: many steps in one launch, on a GPU. update: work on parameters and gradients between minibatches,
  // counted on a GPU only.
  enum Kind { gather, product, elementwise, other, persistent, accumulate, update, kinds };
  static constexpr std::array<std::string_view, kinds> names{"gather", "product",          "elementwise", "other ops",
                                                             "walk",   "weight gradients", "update"};
  std::array<uint64_t, kinds> launches{};
  std::array<double, kinds> seconds{};  // on a GPU: device time of timed launches that have completed
  uint64_t copied_elements = 0;
  uint64_t weight_products = 0;
  double product_flops = 0;

  KernelStats& operator+=(const KernelStats& more) { return add(more, 1); }
  KernelStats& operator-=(const KernelStats& less) { return add(less, -1); }
  double all_seconds() const;
  uint64_t all_launches() const;

 private:
  KernelStats& add(const KernelStats& more, int sign);
};

}  // namespace espalier
