// Gpu: the memory of the first GPU, for tests. If it is null, a test skips and prints the reason.
#pragma once
#include <string>

#include <espalier/engine/engine.h>
#include <espalier/expr/functions.h>
#include "param/parameter_storage.h"

namespace espalier {

struct Gpu {
  DeviceMemory* memory = nullptr;
  std::string why;  // the reason if `memory` is null

  Gpu() {
    // An engine moves the parameters it uses to its device.
    Parameters params;
    const Parameter p = Scope(params).add("p", {1});
    try {
      EngineOptions options;
      options.device = Device::cuda();
      Engine engine(options);
      Graph graph = engine.graph();
      engine.value(sum_elements(row(graph, p)));
      memory = p.storage()->data.device();
      why = "the executor keeps no parameters on its device";
    } catch (const DeviceError& e) {
      why = e.what();
    }
  }
};

}  // namespace espalier
