// Resolves an Expr to a node of a trace or a value of a tape, and reports why it is neither.
#include "expr/record.h"

namespace espalier {

void cell_has_ended(Who who, Where at) {
  throw GraphError(str(who) + ": the value belongs to a cell whose definition has ended; use the cell's result" +
                   str(at));
}

void cell_is_empty(Where at) { throw GraphError("cell: it is empty; make it with Scope::cell" + str(at)); }

void value_is_stale(Who who, Where at) {
  throw GraphError(str(who) + ": the value is stale; its graph was cleared, reverted or destroyed" + str(at));
}

int literal_of(const Index& i, Who who, Where at) {
  const int value = static_cast<int>(i.value());
  if (value != i.value())
    throw IndexError(str(who) + ": index " + std::to_string(i.value()) + " is out of range; it must fit an int" +
                     str(at));
  return value;
}

int traced_node(Trace& trace, Expr x, Who who, Where at) {
  if (!x) throw GraphError(str(who) + ": an empty Expr is given; a value is needed" + str(at));
  if (x.entry() == trace.entry() ? x.stamp() != trace.stamp : x.entry()->find(x.stamp()) == nullptr) {
    if (x.entry()->tracing) cell_has_ended(who, at);
    value_is_stale(who, at);
  }
  if (x.entry() != trace.entry())
    throw GraphError(str(who) + ": a value belongs to " + (x.entry()->tracing ? "another cell" : "a graph") +
                     ", but a cell is being traced; pass it to the cell as an argument" + str(at));
  return static_cast<int>(x.id());
}

void refuse_value(const GraphTape& tape, Expr x, Who who, Where at) {
  if (!x) throw GraphError(str(who) + ": an empty Expr is given; a value is needed" + str(at));
  if (x.entry() != tape.entry()) {
    const bool stale = x.entry()->find(x.stamp()) == nullptr;
    if (x.entry()->tracing && stale) cell_has_ended(who, at);
    if (stale) value_is_stale(who, at);
    if (!x.entry()->tracing)
      throw GraphError(str(who) + ": values of two graphs are mixed; all must be recorded in one graph" + str(at));
    throw GraphError(str(who) +
                     ": a value belongs to a cell that is being traced, not to the graph; use the cell's result" +
                     str(at));
  }
  if (!tape.current(x.id(), x.stamp())) value_is_stale(who, at);
  ESPALIER_CHECK(tape.closed);
  throw GraphError(str(who) + ": the graph is closed by infer, its rows were reused; record it again" + str(at));
}

}  // namespace espalier
