// What an Expr stands for: a node of a trace or a value of a tape, and why it may stand for neither.
#include "expr/record.h"

namespace espalier {

void cell_has_ended(std::string_view who, Where at) {
  throw GraphError(std::string(who) +
                   ": the value belongs to a cell whose definition has ended; use the cell's result" + str(at));
}

int traced_node(Trace& trace, Expr x, std::string_view who, Where at) {
  if (!x) throw GraphError(std::string(who) + ": an empty Expr is given; a value is needed" + str(at));
  if (x.tape() != &trace)
    throw GraphError(std::string(who) + ": a value of " + (x.tape()->tracing ? "another cell" : "a graph") +
                     " is used inside a cell; give it to the cell as an argument" + str(at));
  if (x.stamp() != trace.stamp) cell_has_ended(who, at);
  return static_cast<int>(x.id());
}

void refuse_value(const GraphTape& tape, Expr x, std::string_view who, Where at) {
  if (!x) throw GraphError(std::string(who) + ": an empty Expr is given; a value is needed" + str(at));
  if (x.tape() != &tape) {
    if (!x.tape()->tracing)
      throw GraphError(std::string(who) + ": values of two graphs are mixed; all must be recorded in one graph" +
                       str(at));
    if (x.stamp() != x.tape()->stamp) cell_has_ended(who, at);
    throw GraphError(std::string(who) + ": a value inside a cell is used in a graph; use the cell's result" + str(at));
  }
  if (!tape.current(x.id(), x.stamp()))
    throw GraphError(std::string(who) + ": the value is stale; its graph was cleared, reverted or destroyed" + str(at));
  ESPALIER_CHECK(tape.closed);
  throw GraphError(std::string(who) + ": the graph is closed by infer, its rows were reused; record it again" +
                   str(at));
}

}  // namespace espalier
