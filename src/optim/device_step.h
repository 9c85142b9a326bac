// One step of an optimiser where the numbers are on a device: everything about it as plain data, so that one launch can
// do it for all parameters. All pointers are to the device's memory.
#pragma once
#include <cstdint>
#include <vector>

#include "optim/rules.h"
#include "tensor/clip.h"
#include "tensor/device_memory.h"

namespace espalier::detail {

// A parameter, or those rows of a table that have a gradient.
struct DeviceUpdate {
  float* value = nullptr;
  const float* gradient = nullptr;
  float* moment[max_moments] = {};
  const int32_t* rows = nullptr;  // which row of value and moments each row of the gradient is for; null: all
  uint64_t width = 1;             // of a row
  uint64_t n = 0;                 // numbers of the gradient
  Rates rates;
};

struct DeviceStep {
  AnyRule rule;
  std::vector<DeviceUpdate> updates;
  // What the gradients are scaled by is found on the device, so that nobody waits for their norm.
  const double* sum_of_squares = nullptr;  // null: they are not scaled
  float clip_norm = 0;
};

void run(const DeviceStep& step, DeviceMemory& memory);

// Number i of the gradient: the whole of what a step does to it.
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
