#include "expr/record.h"

#include <bit>
#include <cstring>

#include "cell/passes.h"
#include "op/elementwise.h"

namespace espalier {

[[noreturn]] static void cell_has_ended(std::string_view who, Where at) {
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

uint32_t recorded_value(GraphTape& tape, Expr x, std::string_view who, Where at) {
  if (!x) throw GraphError(std::string(who) + ": an empty Expr is given; a value is needed" + str(at));
  if (x.tape() != &tape) {
    if (!x.tape()->tracing)
      throw GraphError(std::string(who) + ": values of two graphs are mixed; all must be recorded in one graph" +
                       str(at));
    if (x.stamp() != x.tape()->stamp) cell_has_ended(who, at);
    throw GraphError(std::string(who) +
                     ": a value of a graph is used inside a cell; give it to the cell as an argument" + str(at));
  }
  if (!tape.current(x.id(), x.stamp()))
    throw GraphError(std::string(who) + ": the value is stale; its graph was cleared, reverted or destroyed" + str(at));
  if (tape.closed)
    throw GraphError(std::string(who) + ": the graph is closed by infer, its rows were reused; record it again" +
                     str(at));
  return x.id();
}

namespace {

GraphTape& graph_of(Graph* graph, const detail::CallArguments& a, std::string_view who, Where at) {
  if (graph != nullptr) return graph->tape();
  auto as_graph = [](detail::Tape* t) { return static_cast<GraphTape*>(t); };
  for (size_t i = 0; i < a.row_count; ++i)
    if (a.rows[i]) return *as_graph(a.rows[i].tape());
  for (size_t g = 0; g < a.group_count; ++g) {
    if (a.groups[g].tape != nullptr) return *as_graph(a.groups[g].tape);
    if (a.groups[g].count > 0) {
      std::array<Expr, detail::CallArguments::most_fields> fields;
      a.groups[g].read(a.groups[g].items, 0, fields.data());
      if (fields[0]) return *as_graph(fields[0].tape());
    }
  }
  throw GraphError(std::string(who) + ": no argument says which graph to record in; give the Graph first" + str(at));
}

// The group's items on the tape; checks every one before it writes.
uint32_t append_group(GraphTape& tape, const detail::GroupArgument& g, const Program* p, int space,
                      std::string_view who, Where at, uint32_t& depth) {
  auto fits = [&](uint32_t value, int field, uint32_t item) {
    if (p == nullptr) return;
    int f = 0;
    for (const RowInput& r : p->rows)
      if (r.space == space && f++ == field && tape.shape(value) != r.shape)
        throw ShapeError(std::string(who) + ": row " + std::to_string(item) + (r.name == "row" ? "" : " of " + r.name) +
                         " is " + str(tape.shape(value)) + "; it must be " + str(r.shape) + str(at));
  };
  if (g.tape != nullptr) {
    if (g.tape != &tape)
      throw GraphError(std::string(who) + ": a group of another graph is given; all must be recorded in one graph" +
                       str(at));
    if (!tape.current_group(g.id, g.stamp))
      throw GraphError(std::string(who) + ": the group is stale; its graph was cleared, reverted or destroyed" +
                       str(at));
    const GroupRange& range = tape.groups[g.id];
    for (int f = 0; f < g.fields; ++f)
      for (uint32_t i = 0; i < range.count; ++i) {
        const uint32_t v = tape.items[range.first + static_cast<uint32_t>(f) * range.count + i];
        fits(v, f, i);
        depth = std::max(depth, tape.depth[tape.value_call[v]] + 1);
      }
    return g.id;
  }
  const auto first = static_cast<uint32_t>(tape.items.size());
  const auto count = static_cast<uint32_t>(g.count), fields = static_cast<uint32_t>(g.fields);
  tape.items.resize(first + count * fields);
  try {
    std::array<Expr, detail::CallArguments::most_fields> item;
    for (uint32_t i = 0; i < count; ++i) {
      g.read(g.items, i, item.data());
      for (uint32_t f = 0; f < fields; ++f) {
        const uint32_t v = recorded_value(tape, item[f], who, at);
        fits(v, static_cast<int>(f), i);
        tape.items[first + f * count + i] = v;
        depth = std::max(depth, tape.depth[tape.value_call[v]] + 1);
      }
    }
  } catch (...) {
    tape.items.resize(first);
    throw;
  }
  tape.groups.push_back({first, count});
  return static_cast<uint32_t>(tape.groups.size()) - 1;
}

void check_counts(const Program& p, const detail::CallArguments& a, Where at) {
  for (size_t i = 0; i < a.index_count; ++i) {
    const int value = a.indices[i].value();
    const IndexInput& in = p.indices[i];
    if (value < 0 || value >= in.limit)
      throw IndexError(in.who + " " + std::to_string(value) + " is out of range; it must be 0…" +
                       std::to_string(in.limit - 1) + str(at));
  }
  for (size_t g = 0; g < a.group_count; ++g)
    if (p.least_rows[g] > 0 && a.groups[g].count < static_cast<size_t>(p.least_rows[g]))
      throw IndexError(p.name + ": max_rows of no rows has no value; at least one row is needed" + str(at));
}

// Immediate mode. A call that fails is not recorded.
void run_at_once(GraphTape& tape, uint32_t call, const GraphTape::Mark& before, Where at) {
  try {
    tape.on_call(call, at);
  } catch (...) {
    tape.revert(before);
    throw;
  }
}

}  // namespace

uint32_t append_call(GraphTape& tape, uint32_t cell, const detail::CallArguments& a, Where at) {
  const Program& p = *tape.cells[cell];
  if (tape.closed)
    throw GraphError(p.name + ": the graph is closed by infer, its rows were reused; record it again" + str(at));
  const GraphTape::Mark before = tape.on_call ? tape.mark() : GraphTape::Mark{};
  uint32_t depth = 0;
  std::array<uint32_t, detail::CallArguments::most + detail::CallArguments::most_groups> args;
  size_t n = 0, row = 0;
  for (const RowInput& in : p.rows) {
    if (in.space != call_space) continue;
    const uint32_t v = recorded_value(tape, a.rows[row++], p.name, at);
    if (tape.shape(v) != in.shape)
      throw ShapeError(p.name + ": " + in.name + " is " + str(tape.shape(v)) + "; it must be " + str(in.shape) +
                       str(at));
    depth = std::max(depth, tape.depth[tape.value_call[v]] + 1);
    args[n++] = v;
  }
  check_counts(p, a, at);
  for (size_t g = 0; g < a.group_count; ++g)
    args[n++] = append_group(tape, a.groups[g], &p, 1 + static_cast<int>(g), p.name, at, depth);

  const uint32_t call = tape.calls(), first = tape.values();
  tape.cell.push_back(cell);
  tape.first_arg.push_back(static_cast<uint32_t>(tape.args.size()));
  tape.first_int.push_back(static_cast<uint32_t>(tape.ints.size()));
  tape.first_value.push_back(first);
  tape.depth.push_back(depth);
  tape.args.insert(tape.args.end(), args.begin(), args.begin() + static_cast<std::ptrdiff_t>(n));
  for (size_t i = 0; i < a.index_count; ++i) tape.ints.push_back(a.indices[i].value());
  for (size_t i = 0; i < a.number_count; ++i) tape.ints.push_back(std::bit_cast<int32_t>(a.numbers[i].value()));
  if (p.random) {
    const uint64_t key = tape.next_key();
    tape.ints.push_back(static_cast<int32_t>(key));
    tape.ints.push_back(static_cast<int32_t>(key >> 32));
  }
  ++tape.ordinal;
  for (size_t k = 0; k < p.outputs.size(); ++k) tape.value_call.push_back(call);
  if (tape.on_call) run_at_once(tape, call, before, at);
  return first;
}

namespace {

Expr record_traced(Trace& trace, const FunctionCall& f, BodyFunction body) {
  std::vector<int> in;
  for (const Operand& o : f.operands) switch (o.kind) {
      case Operand::Kind::expr:
        in.push_back(traced_node(trace, o.expr, f.name, f.at));
        break;
      case Operand::Kind::parameter:
        in.push_back(trace.builder.parameter(o.parameter->slot()));
        break;
      case Operand::Kind::number:
        in.push_back(trace.builder.make(info<op::Full>(), erase(op::FullAttrs{{}, o.value}), {}));
    }
  if (f.index != nullptr)
    in.push_back(f.index->traced() ? traced_node(trace, f.index->traced(), f.name, f.at)
                                   : trace.builder.literal(f.index->value()));
  const op::Term y = body({trace.builder, in, f.attrs});
  return {&trace, static_cast<uint32_t>(y.node), trace.stamp};
}

// A key holds everything that the cell is made from.
class Key {
 public:
  explicit Key(std::string& text) : text_(text) { text_.clear(); }
  template <class T>
  void add(const T& value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(std::string_view s) {
    text_.append(s);
    text_.push_back('\0');
  }
  void add(const Shape& s) {
    add(s.rank);
    for (int i = 0; i < s.rank; ++i) add(s[i]);
  }

 private:
  std::string& text_;
};

uint32_t find_cell(GraphTape& tape, const FunctionCall& f, BodyFunction body) {
  Key key(tape.key);
  key.add(f.name);
  for (double a : f.attrs) key.add(a);
  for (const Operand& o : f.operands) {
    key.add(o.kind);
    if (o.kind == Operand::Kind::expr) key.add(tape.shape(recorded_value(tape, o.expr, f.name, f.at)));
    if (o.kind == Operand::Kind::parameter) key.add(o.parameter->slot().get());
  }
  if (const auto it = tape.op_cells.find(tape.key); it != tape.op_cells.end()) return it->second;

  Program p;
  p.name = std::string(f.name);
  Builder build(p);
  std::vector<int> in;
  for (const Operand& o : f.operands) switch (o.kind) {
      case Operand::Kind::expr:
        in.push_back(build.row(tape.shape(o.expr.id()), call_space, "argument " + std::to_string(in.size())));
        break;
      case Operand::Kind::parameter:
        in.push_back(build.parameter(o.parameter->slot()));
        break;
      case Operand::Kind::number:
        in.push_back(build.number());
        break;
    }
  if (f.index != nullptr) in.push_back(build.index());
  p.outputs = {body({build, in, f.attrs}).node};
  compile(p);
  const uint32_t number = tape.cell_number(std::make_shared<const Program>(std::move(p)));
  tape.op_cells.emplace(tape.key, number);
  return number;
}

Expr record_call(GraphTape& tape, const FunctionCall& f, BodyFunction body) {
  const uint32_t cell = find_cell(tape, f, body);
  detail::CallArguments a;
  for (const Operand& o : f.operands) {
    if (o.kind == Operand::Kind::expr) a.rows[a.row_count++] = o.expr;
    if (o.kind == Operand::Kind::number) a.numbers[a.number_count++] = Number(o.value);
  }
  if (f.index != nullptr) a.indices[a.index_count++] = *f.index;
  const uint32_t value = append_call(tape, cell, a, f.at);
  return {&tape, value, tape.stamp};
}

}  // namespace

Expr record_function(const FunctionCall& f, BodyFunction body) {
  detail::Tape* tape = f.graph != nullptr ? &f.graph->tape() : nullptr;
  for (const Operand& o : f.operands) {
    if (o.kind != Operand::Kind::expr) continue;
    if (!o.expr) throw GraphError(std::string(f.name) + ": an empty Expr is given; a value is needed" + str(f.at));
    if (tape == nullptr || (o.expr.tape()->tracing && !tape->tracing)) tape = o.expr.tape();
  }
  if (f.index != nullptr && f.index->traced()) tape = f.index->traced().tape();
  if (tape == nullptr)
    throw GraphError(
        std::string(f.name) +
        ": no operand says which graph to record in; give the Graph first, or a value of it: row(g, parameter)" +
        str(f.at));
  try {
    if (tape->tracing) {
      auto& trace = static_cast<Trace&>(*tape);
      if (!trace.busy) cell_has_ended(f.name, f.at);
      return record_traced(trace, f, body);
    }
    return record_call(static_cast<GraphTape&>(*tape), f, body);
  } catch (Error& e) {
    // What the program builder refuses does not know the user's line yet.
    if (std::string_view(e.what()).find(str(f.at)) == std::string_view::npos) e.append(str(f.at));
    throw;
  }
}

Expr record_over_rows(std::string_view name, std::span<const Expr> rows, Where at, BodyFunction body) {
  if (rows.empty()) throw ShapeError(std::string(name) + ": nothing is given; at least one row is needed" + str(at));
  if (!rows[0]) throw GraphError(std::string(name) + ": an empty Expr is given; a value is needed" + str(at));
  ESPALIER_CHECK(!rows[0].tape()->tracing);
  auto& tape = static_cast<GraphTape&>(*rows[0].tape());
  const Shape shape = tape.shape(recorded_value(tape, rows[0], name, at));
  Key key(tape.key);
  key.add(name);
  key.add("rows");
  key.add(shape);
  auto it = tape.op_cells.find(tape.key);
  if (it == tape.op_cells.end()) {
    Program p;
    p.name = std::string(name);
    Builder build(p);
    build.group();
    const std::array in{build.row(shape, 1, "row")};
    p.outputs = {body({build, in, {}}).node};
    compile(p);
    it = tape.op_cells.emplace(tape.key, tape.cell_number(std::make_shared<const Program>(std::move(p)))).first;
  }
  detail::CallArguments a;
  a.groups[a.group_count++] = Many<Expr>(rows).erased();
  return {&tape, append_call(tape, it->second, a, at), tape.stamp};
}

namespace detail {

GroupArgument record_group(Graph& graph, const GroupArgument& items, Where at) {
  uint32_t depth = 0;
  GraphTape& tape = graph.tape();
  GroupArgument g;
  g.id = append_group(tape, items, nullptr, 0, "group", at, depth);
  g.tape = &tape;
  g.stamp = tape.stamp;
  g.fields = items.fields;
  g.count = tape.groups[g.id].count;
  return g;
}

namespace {

void call_traced(Trace& trace, const Program& p, const CallArguments& a, Where at, Expr* outputs) {
  std::vector<int> rows, indices, numbers, groups;
  for (size_t g = 0; g < a.group_count; ++g) {
    const GroupArgument& given = a.groups[g];
    if (given.tape != &trace)
      throw GraphError(p.name + ": inside a cell, a Many must be a Many argument of that cell" + str(at));
    groups.push_back(trace.program.node(static_cast<int>(given.id)).space - 1);
  }
  std::vector<int> field(a.group_count, 0);
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
      throw ShapeError(p.name + ": " + in.name + " is " + str(trace.program.node(node).shape) + "; it must be " +
                       str(in.shape) + str(at));
    rows.push_back(node);
  }
  for (size_t i = 0; i < a.index_count; ++i)
    indices.push_back(a.indices[i].traced() ? traced_node(trace, a.indices[i].traced(), p.name, at)
                                            : trace.builder.literal(a.indices[i].value()));
  for (size_t i = 0; i < a.number_count; ++i)
    numbers.push_back(a.numbers[i].traced()
                          ? traced_node(trace, a.numbers[i].traced(), p.name, at)
                          : trace.builder.make(info<op::Full>(), erase(op::FullAttrs{{}, a.numbers[i].value()}), {}));
  const std::vector<int> nodes = inline_cell(trace.builder, p, rows, indices, numbers, groups);
  for (size_t k = 0; k < nodes.size(); ++k) outputs[k] = {&trace, static_cast<uint32_t>(nodes[k]), trace.stamp};
}

Tape* tape_of(const CallArguments& a) {
  for (size_t i = 0; i < a.row_count; ++i)
    if (a.rows[i]) return a.rows[i].tape();
  for (size_t i = 0; i < a.index_count; ++i)
    if (a.indices[i].traced()) return a.indices[i].traced().tape();
  for (size_t i = 0; i < a.number_count; ++i)
    if (a.numbers[i].traced()) return a.numbers[i].traced().tape();
  for (size_t i = 0; i < a.group_count; ++i)
    if (a.groups[i].tape != nullptr) return a.groups[i].tape;
  return nullptr;
}

}  // namespace

void call(const std::shared_ptr<const Program>& program, Graph* graph, const CallArguments& a, Where at,
          Expr* outputs) {
  if (program == nullptr) throw GraphError("cell: it is empty; make it with Scope::cell" + str(at));
  if (Tape* t = tape_of(a); t != nullptr && t->tracing)
    return call_traced(static_cast<Trace&>(*t), *program, a, at, outputs);
  GraphTape& tape = graph_of(graph, a, program->name, at);
  const uint32_t first = append_call(tape, tape.cell_number(program), a, at);
  for (uint32_t k = 0; k < program->outputs.size(); ++k) outputs[k] = {&tape, first + k, tape.stamp};
}

}  // namespace detail
}  // namespace espalier
