// One optimiser step on a device as plain data, so that one launch updates all parameters. All pointers are device
// pointers.
#pragma once
#include <cstdint>
#include <vector>

#include "optim/rule/rules.h"
#include "tensor/clip.h"
#include "tensor/device_memory.h"

namespace espalier::detail {

// A parameter, or the rows of a table that have a gradient.
struct DeviceUpdate {
  float* value = nullptr;
  const float* gradient = nullptr;
  float* moment[max_moments] = {};
  const int32_t* rows = nullptr;  // row i of the gradient updates row rows[i] of value and moments; null: dense
  uint64_t width = 1;             // elements per row
  uint64_t n = 0;                 // elements of the gradient
  Rates rates;
};

struct DeviceStep {
  AnyRule rule;
  std::vector<DeviceUpdate> updates;
  // The clip factor is computed on the device, so nothing waits for the norm of the gradients.
  const double* sum_of_squares = nullptr;  // null: no clipping
  float clip_norm = 0;
};

void run(const DeviceStep& step, DeviceMemory& memory);

// Updates the parameter element that belongs to element i of the gradient.
template <class Rule>
ESPALIER_HOST_DEVICE void update_one(const Rule& rule, const DeviceUpdate& u, uint64_t i, float scale) {
  const uint64_t at = u.rows == nullptr ? i : static_cast<uint64_t>(u.rows[i / u.width]) * u.width + i % u.width;
  float m[max_moments] = {};
  const int moments = rule.moments();
  for (int k = 0; k < max_moments; ++k)
    if (k < moments) m[k] = u.moment[k][at];
  const float p = u.value[at];
  u.value[at] = rule(u.rates, ::fmaf(scale, u.gradient[i], u.rates.l2 * p), p, m);
  for (int k = 0; k < max_moments; ++k)
    if (k < moments) u.moment[k][at] = m[k];
}

}  // namespace espalier::detail
