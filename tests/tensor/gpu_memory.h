// The memory of the first GPU, for tests of what is done there; they are skipped, with the reason, where there is none.
#pragma once
#include <string>

#include <espalier/engine/engine.h>
#include <espalier/expr/functions.h>
#include "param/slot.h"

namespace espalier {

struct Gpu {
  DeviceMemory* memory = nullptr;
  std::string why;  // there is none

  Gpu() {
    // Parameters lie where an engine has used them.
    Parameters params;
    const Parameter p = Scope(params).add("p", {1});
    try {
      EngineOptions options;
      options.device = Device::cuda();
      Engine engine(options);
      Graph graph = engine.graph();
      engine.value(sum_elements(row(graph, p)));
      memory = p.slot()->data.device();
      why = "the executor keeps no parameters on its device";
    } catch (const DeviceError& e) {
      why = e.what();
    }
  }
};

}  // namespace espalier
