// The devices that the laws compare with the reference.
#pragma once
#include <vector>

#include "exec/executor.h"

namespace espalier::law {

// The CPU and, if there is one, the first GPU.
inline const std::vector<Device>& compared_devices() {
  static const std::vector<Device> all = [] {
    std::vector<Device> devices{Device::cpu()};
    if (why_no_cuda().empty()) devices.push_back(Device::cuda());
    return devices;
  }();
  return all;
}

inline std::vector<Device> all_devices() {
  std::vector<Device> all{Device::ref()};
  all.insert(all.end(), compared_devices().begin(), compared_devices().end());
  return all;
}

}  // namespace espalier::law
