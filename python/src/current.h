// The graph or cell that the running Python code records into. A stack: recordings nest.
#pragma once
#include <string_view>

#include <espalier/expr/graph.h>
#include "expr/trace.h"

namespace espalier::python {

struct Recording;  // engine.h: what one call of record() collects

struct Current {
  Graph* graph = nullptr;  // exactly one of these two is set
  Trace* trace = nullptr;
  Recording* recording = nullptr;  // null outside of record() and infer()
};

// The innermost graph or cell of this thread; null if nothing is recorded.
const Current* current();
// The innermost graph. GraphError if nothing is recorded, or a cell is being traced.
Graph& current_graph(std::string_view who);

// RAII: makes a graph or cell the current one of this thread.
class Entered {
 public:
  explicit Entered(const Current& now);
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered();

 private:
  Current now_;
  const Current* before_;
};

}  // namespace espalier::python
