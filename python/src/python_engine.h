// An engine, and the process that made it: a forked child has none of its threads.
#pragma once
#include <unistd.h>

#include <string>

#include <espalier/engine/engine.h>

namespace espalier::python {

struct PythonEngine {
  Engine engine;
  pid_t process = getpid();
  explicit PythonEngine(const EngineOptions& options) : engine(options) {}
  Engine& get() {
    if (getpid() != process)
      throw GraphError("engine: it was made in process " + std::to_string(process) + ", and this is its forked child " +
                       std::to_string(getpid()) + "; make an engine in the child");
    return engine;
  }
};

}  // namespace espalier::python
