// Turns functions of Exprs into nodes of a trace or calls on a tape. Checks that each Expr is non-empty and current.
#pragma once
#include <espalier/expr/cell.h>
#include "expr/trace.h"
#include "graph/tape.h"

namespace espalier {

// The op or cell that an error message names. The full name of a cell is composed only for a message.
class Who {
 public:
  Who(std::string_view op) : op_(op) {}
  Who(const char* op) : op_(op) {}
  Who(const std::string& op) : op_(op) {}
  Who(const FullName& cell) : cell_(&cell) {}
  friend std::string str(const Who& who) { return who.cell_ != nullptr ? str(*who.cell_) : std::string(who.op_); }

 private:
  std::string_view op_;
  const FullName* cell_ = nullptr;
};

// The node of a traced Expr. GraphError if it is empty, stale, or belongs to a graph or to another trace.
int traced_node(Trace& trace, Expr x, Who who, Where at);
// trace_of, graph_of: the trace (graph) of a value, which must be non-empty and traced (recorded). GraphError if stale.
[[noreturn]] void cell_has_ended(Who who, Where at);
[[noreturn]] void value_is_stale(Who who, Where at);
inline Trace& trace_of(Expr x, Who who, Where at) {
  detail::Tape* const tape = x.entry()->find(x.stamp());
  if (tape == nullptr) [[unlikely]]
    cell_has_ended(who, at);
  return static_cast<Trace&>(*tape);
}
inline GraphTape& graph_of(Expr x, Who who, Where at) {
  detail::Tape* const tape = x.entry()->find(x.stamp());
  if (tape == nullptr) [[unlikely]]
    value_is_stale(who, at);
  return static_cast<GraphTape&>(*tape);
}
[[noreturn]] void cell_is_empty(Where at);
int literal_of(const Index& i, Who who, Where at);  // IndexError if it does not fit an int
inline bool is_traced(Expr x) { return x && x.entry()->tracing; }
inline Expr expr_of(const detail::Tape& tape, uint32_t id) { return {tape.entry(), id, tape.stamp}; }

// recorded_value: the id of a recorded Expr. GraphError if it is empty, stale, traced, or of another or a closed graph.
[[noreturn]] void refuse_value(const GraphTape& tape, Expr x, Who who, Where at);
inline bool is_value(const GraphTape& tape, Expr x) {
  return x.entry() == tape.entry() && tape.current(x.id(), x.stamp()) && !tape.closed;
}
inline uint32_t recorded_value(const GraphTape& tape, Expr x, Who who, Where at) {
  if (!is_value(tape, x)) [[unlikely]]
    refuse_value(tape, x, who, at);
  return x.id();
}

// The arguments of a function that adds its nodes to a program. `in` holds the operands, then the indices.
struct Body {
  Builder& build;
  std::span<const int> in;
  std::span<const double> attrs;
  std::string_view name = {};  // of the function
  op::Term operator[](size_t i) const { return {&build, in[i]}; }
};
using BodyFunction = op::Term (*)(const Body&);

struct FunctionCall {
  std::string_view name;
  std::span<const Operand> operands;
  std::span<const double> attrs;
  Where at;
  std::span<const Index> indices{};
  GraphTape* tape = nullptr;  // the tape to record on; null: that of the operands
};

// Inside a cell: adds the body's nodes. Outside: records a call of a cell made of this body, cached by its full key.
Expr record_function(const FunctionCall& call, BodyFunction body);
// A function of any number of rows of one shape, outside a cell: records a call of a cell with one group.
Expr record_over_rows(std::string_view name, std::span<const Expr> rows, Where at, BodyFunction body);

// Appends a variadic argument: group `which` of a cell, or a free group if cell is no_cell. Returns its id.
uint32_t append_group(GraphTape& tape, const detail::GroupArgument& g, uint32_t cell, uint32_t which, Who who,
                      Where at);
// Appends a call. All checks come before the first write. Returns its first value.
uint32_t append_call(GraphTape& tape, uint32_t cell, const detail::CallArguments& arguments, Where at);

}  // namespace espalier
