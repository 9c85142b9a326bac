#include "python/src/engine/current.h"

#include <string>

namespace espalier::python {
namespace {

thread_local Entered* innermost = nullptr;

}  // namespace

const Current* current() { return innermost == nullptr ? nullptr : &innermost->now(); }

Graph& current_graph(std::string_view who) {
  if (innermost == nullptr)
    throw GraphError(std::string(who) +
                     ": nothing is being recorded; call it in a function given to engine.record or engine.infer, or "
                     "within `with engine.graph():`");
  if (innermost->now().graph == nullptr)
    throw GraphError(std::string(who) + ": a cell is being traced; pass the value to the cell as an argument");
  return *innermost->now().graph;
}

Entered::Entered(const Current& now) : now_(now), outer_(innermost) { innermost = this; }
Entered::~Entered() {
  Entered** at = &innermost;
  while (*at != nullptr && *at != this) at = &(*at)->outer_;
  if (*at != nullptr) *at = outer_;
}

}  // namespace espalier::python
