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

// RAII: makes a graph or cell the current one of this thread. Generators and coroutines are suspended within theirs, so
// they may end in any order, but must end in the thread in which they began.
class Entered {
 public:
  explicit Entered(const Current& now);
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered();

  const Current& now() const { return now_; }

 private:
  Current now_;
  Entered* outer_;
};

}  // namespace espalier::python
