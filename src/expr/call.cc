// Calls of cells: checked against the cell's signature, then appended to the tape or inlined into the cell being
// traced. The fast path does not read the program.
#include <bit>

#include "cell/passes.h"
#include "expr/record.h"
#include "op/elementwise.h"

namespace espalier {
namespace {

[[noreturn]] void many_from_outside(Who who, Where at) {
  throw GraphError(str(who) + ": inside a cell, a list of rows must be a list argument of that cell" + str(at));
}

// The graph of the first item of a Many, for calls where no other argument determines the graph.
GraphTape& graph_of_items(const detail::CallArguments& a, Who who, Where at) {
  for (size_t g = 0; g < a.groups.size(); ++g) {
    if (a.groups[g].count == 0) continue;
    std::array<Expr, detail::CallArguments::max_fields> fields;
    a.groups[g].read(a.groups[g].items, 0, fields.data());
    if (!fields[0]) continue;
    if (is_traced(fields[0])) many_from_outside(who, at);
    return graph_of(fields[0], who, at);
  }
  throw GraphError(str(who) + ": no argument determines the graph; pass the Graph first" + str(at));
}

// Whether the graph is open, every row is a value of it with the right shape, and every integer is in range.
bool fits(const GraphTape& tape, const Signature& s, const detail::CallArguments& a) {
  for (size_t i = 0; i < a.rows.size(); ++i)
    if (!is_value(tape, a.rows[i]) || tape.value[a.rows[i].id()].shape != s.row_shapes[i]) return false;
  for (size_t i = 0; i < a.indices.size(); ++i)
    if (a.indices[i].value() < 0 || a.indices[i].value() >= s.limits[i]) return false;
  return !tape.closed;
}

// Throws the error for a call for which fits() is false.
[[noreturn]] void refuse_call(const GraphTape& tape, const Program& p, const detail::CallArguments& a, Where at) {
  if (tape.closed)
    throw GraphError(str(p.name) + ": the graph is closed by infer, its rows were reused; record it again" + str(at));
  size_t row = 0;
  for (const RowInput& in : p.rows) {
    if (in.space != call_space) continue;
    const Expr x = a.rows[row++];
    if (is_traced(x) && x.entry()->find(x.stamp()) != nullptr)  // an earlier argument belongs to a graph
      throw GraphError(str(p.name) +
                       ": a value belongs to a graph, but a cell is being traced; pass it to the cell as an argument" +
                       str(at));
    const uint32_t v = recorded_value(tape, x, p.name, at);
    if (tape.shape(v) != in.shape)
      throw ShapeError(str(p.name) + ": " + in.name + " is " + str(tape.shape(v)) + "; it must be " + str(in.shape) +
                       str(at));
  }
  for (size_t i = 0; i < a.indices.size(); ++i) {
    const int64_t value = a.indices[i].value();
    const IndexInput& in = p.indices[i];
    if (value < 0 || value >= in.limit)
      throw IndexError(in.who() + " " + std::to_string(value) + " is out of range; it must be 0…" +
                       std::to_string(in.limit - 1) + str(at));
  }
  throw InternalError(str(p.name) + ": a valid call is refused" + str(at));
}

void append_groups(GraphTape& tape, uint32_t cell, const detail::CallArguments& a, Where at, uint32_t* groups) {
  const Program& p = *tape.cells[cell];
  for (size_t g = 0; g < a.groups.size(); ++g)
    if (p.min_rows[g] > 0 && a.groups[g].count < static_cast<size_t>(p.min_rows[g]))
      throw IndexError(str(p.name) + ": a list of rows is empty; max, min and logsumexp need at least one row" +
                       str(at));
  for (uint32_t g = 0; g < a.groups.size(); ++g) groups[g] = append_group(tape, a.groups[g], cell, g, p.name, at);
}

uint32_t append(GraphTape& tape, uint32_t cell, const detail::CallArguments& a, Where at) {
  const Signature& s = tape.signatures[cell];
  if (!fits(tape, s, a)) [[unlikely]]
    refuse_call(tape, *tape.cells[cell], a, at);
  std::array<uint32_t, detail::CallArguments::max_groups> groups;
  if (!a.groups.empty()) append_groups(tape, cell, a, at, groups.data());

  const auto first_arg = static_cast<uint32_t>(tape.args.size()), first_int = static_cast<uint32_t>(tape.ints.size());
  for (const Index& i : a.indices) tape.ints.push_back(static_cast<int32_t>(i.value()));
  for (const Number& n : a.numbers) tape.ints.push_back(std::bit_cast<int32_t>(n.value()));
  const bool memoised = s.shareable && tape.memoise;
  if (memoised) {
    const uint32_t equal = tape.share(cell, std::span(tape.ints).subspan(first_int));
    if (equal != Memo::none) {
      tape.ints.resize(first_int);
      return equal;
    }
  }
  for (const Expr& row : a.rows) tape.args.push_back(row.id());
  for (size_t g = 0; g < a.groups.size(); ++g) tape.args.push_back(groups[g]);
  if (s.random) {
    const uint64_t key = tape.next_key();
    tape.ints.push_back(static_cast<int32_t>(key));
    tape.ints.push_back(static_cast<int32_t>(key >> 32));
  }
  const uint32_t first = tape.add_call(cell, first_arg, first_int);
  if (memoised) tape.remember();
  return first;
}

// Immediate mode: runs the call at once. A call that fails is not recorded.
uint32_t append_and_run(GraphTape& tape, uint32_t cell, const detail::CallArguments& a, Where at) {
  const GraphTape::Mark before = tape.mark();
  const uint32_t call = tape.calls();
  const uint32_t first = append(tape, cell, a, at);
  try {
    if (tape.calls() > call) tape.on_call(call, at);  // else the call was memoised
  } catch (...) {
    tape.revert(before);
    throw;
  }
  return first;
}

}  // namespace

uint32_t append_call(GraphTape& tape, uint32_t cell, const detail::CallArguments& a, Where at) {
  if (tape.on_call) [[unlikely]]
    return append_and_run(tape, cell, a, at);
  return append(tape, cell, a, at);
}

namespace detail {
namespace {

void call_traced(Trace& trace, const Program& p, const CallArguments& a, Where at, Expr* outputs) {
  std::vector<int> rows, indices, numbers, groups;
  for (size_t g = 0; g < a.groups.size(); ++g) {
    const GroupArgument& given = a.groups[g];
    if (given.entry != trace.entry()) many_from_outside(p.name, at);
    if (given.stamp != trace.stamp) cell_has_ended(p.name, at);
    groups.push_back(trace.program.node(static_cast<int>(given.id)).space - 1);
  }
  std::vector<int> field(a.groups.size(), 0);
  size_t row = 0;
  for (const RowInput& in : p.rows) {
    int node = 0;
    if (in.space == call_space) {
      node = traced_node(trace, a.rows[row++], p.name, at);
    } else {
      const auto g = static_cast<size_t>(in.space - 1);
      node = static_cast<int>(a.groups[g].id) + field[g]++;
    }
    if (trace.program.node(node).shape != in.shape)
      throw ShapeError(str(p.name) + ": " + in.name + " is " + str(trace.program.node(node).shape) + "; it must be " +
                       str(in.shape) + str(at));
    rows.push_back(node);
  }
  for (size_t i = 0; i < a.indices.size(); ++i)
    indices.push_back(a.indices[i].traced() ? traced_node(trace, a.indices[i].traced(), p.name, at)
                                            : trace.builder.literal(literal_of(a.indices[i], p.name, at)));
  for (size_t i = 0; i < a.numbers.size(); ++i)
    numbers.push_back(a.numbers[i].traced()
                          ? traced_node(trace, a.numbers[i].traced(), p.name, at)
                          : trace.builder.make(info<op::Full>(), erase(op::FullAttrs{{}, a.numbers[i].value()}), {}));
  const std::vector<int> nodes = inline_cell(trace.builder, p, rows, indices, numbers, groups);
  for (size_t k = 0; k < nodes.size(); ++k) outputs[k] = expr_of(trace, static_cast<uint32_t>(nodes[k]));
}

// The first argument that determines the graph or trace; empty if there is none.
Expr origin(const CallArguments& a) {
  for (size_t i = 0; i < a.rows.size(); ++i)
    if (a.rows[i]) return a.rows[i];
  for (size_t i = 0; i < a.indices.size(); ++i)
    if (a.indices[i].traced()) return a.indices[i].traced();
  for (size_t i = 0; i < a.numbers.size(); ++i)
    if (a.numbers[i].traced()) return a.numbers[i].traced();
  for (size_t i = 0; i < a.groups.size(); ++i)
    if (a.groups[i].entry != nullptr) return {a.groups[i].entry, a.groups[i].id, a.groups[i].stamp};
  return {};
}

}  // namespace

void call(const std::shared_ptr<const Program>& program, Graph* graph, const CallArguments& a, Where at,
          Expr* outputs) {
  if (program == nullptr) cell_is_empty(at);
  const Expr from = origin(a);
  if (is_traced(from)) return call_traced(trace_of(from, program->name, at), *program, a, at, outputs);
  GraphTape& tape = graph != nullptr ? graph->tape()
                    : from           ? graph_of(from, program->name, at)
                                     : graph_of_items(a, program->name, at);
  const uint32_t first = append_call(tape, tape.cell_number(program), a, at);
  for (uint32_t k = 0; k < program->outputs.size(); ++k) outputs[k] = expr_of(tape, first + k);
}

}  // namespace detail
}  // namespace espalier
