#include "exec/kernel_stats.h"

#include <numeric>

namespace espalier {

KernelStats& KernelStats::add(const KernelStats& more, int sign) {
  const auto counts = static_cast<uint64_t>(int64_t{sign});  // modulo 2⁶⁴
  for (size_t i = 0; i < kinds; ++i) {
    launches[i] += counts * more.launches[i];
    seconds[i] += sign * more.seconds[i];
  }
  copied_elements += counts * more.copied_elements;
  weight_products += counts * more.weight_products;
  product_flops += sign * more.product_flops;
  return *this;
}

double KernelStats::all_seconds() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
uint64_t KernelStats::all_launches() const { return std::accumulate(launches.begin(), launches.end(), uint64_t{0}); }

}  // namespace espalier
