// The factor that limits the norm of gradients; shared by host and device code.
#pragma once
#include <cmath>

#include "base/host_device.h"

namespace espalier {

ESPALIER_HOST_DEVICE inline float clip_factor(double sum_of_squares, float limit) {
  const double norm = ::sqrt(sum_of_squares), most = static_cast<double>(limit);
  return norm > most ? static_cast<float>(most / norm) : 1.f;
}

}  // namespace espalier
