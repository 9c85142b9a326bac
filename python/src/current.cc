#include "current.h"

#include <string>

namespace espalier::python {
namespace {

thread_local const Current* innermost = nullptr;

}  // namespace

const Current* current() { return innermost; }

Graph& current_graph(std::string_view who) {
  if (innermost == nullptr)
    throw GraphError(std::string(who) +
                     ": nothing is being recorded; call it in a function given to engine.record or engine.infer, or "
                     "within `with engine.graph():`");
  if (innermost->graph == nullptr)
    throw GraphError(std::string(who) + ": a cell is being traced; pass the value to the cell as an argument");
  return *innermost->graph;
}

Entered::Entered(const Current& now) : now_(now), before_(innermost) { innermost = &now_; }
Entered::~Entered() { innermost = before_; }

}  // namespace espalier::python
