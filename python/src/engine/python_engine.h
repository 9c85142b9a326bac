// An engine, and the process that made it: a forked child has none of its threads.
#pragma once
#include <unistd.h>

#include <memory>
#include <string>

#include <espalier/engine/engine.h>

namespace espalier::python {

class PythonEngine {
 public:
  explicit PythonEngine(const EngineOptions& options) : engine_(std::make_unique<Engine>(options)) {}
  PythonEngine(const PythonEngine&) = delete;
  PythonEngine& operator=(const PythonEngine&) = delete;
  ~PythonEngine() {
    if (is_forked()) static_cast<void>(engine_.release());  // its destructor would wait for its threads
  }
  Engine& get() const {
    if (is_forked())
      throw GraphError("engine: it was made in process " + std::to_string(process_) +
                       ", and this is its forked child " + std::to_string(getpid()) + "; make an engine in the child");
    return *engine_;
  }
  uint64_t seed() const { return engine_->seed(); }

 private:
  bool is_forked() const { return getpid() != process_; }
  std::unique_ptr<Engine> engine_;
  pid_t process_ = getpid();
};

}  // namespace espalier::python
