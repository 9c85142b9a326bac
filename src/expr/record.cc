// Records a function of Exprs: as nodes of the cell being traced, or as a call of a cell that contains only it.
#include "expr/record.h"

#include "cell/passes.h"
#include "op/elementwise.h"

namespace espalier {
namespace {

Expr record_traced(Trace& trace, const FunctionCall& f, BodyFunction body) {
  std::vector<int> in;
  for (const Operand& o : f.operands) switch (o.kind) {
      case Operand::Kind::expr:
        in.push_back(traced_node(trace, o.expr, f.name, f.at));
        break;
      case Operand::Kind::parameter:
        in.push_back(trace.builder.parameter(o.parameter->storage()));
        break;
      case Operand::Kind::number:
        in.push_back(trace.builder.make(info<op::Full>(), erase(op::FullAttrs{{}, o.value}), {}));
    }
  for (const Index& i : f.indices)
    in.push_back(i.traced() ? traced_node(trace, i.traced(), f.name, f.at)
                            : trace.builder.literal(literal_of(i, f.name, f.at)));
  const op::Term y = body({trace.builder, in, f.attrs, f.name});
  return expr_of(trace, static_cast<uint32_t>(y.node));
}

// Builds the key of an op's cell from everything that determines its program.
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
  key.add(body);  // distinguishes a custom op from a library function of the same name
  for (double a : f.attrs) key.add(a);
  for (const Operand& o : f.operands) {
    key.add(o.kind);
    if (o.kind == Operand::Kind::expr) key.add(tape.shape(recorded_value(tape, o.expr, f.name, f.at)));
    if (o.kind == Operand::Kind::parameter) key.add(o.parameter->storage().get());
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
        in.push_back(build.parameter(o.parameter->storage()));
        break;
      case Operand::Kind::number:
        in.push_back(build.number());
        break;
    }
  for (size_t i = 0; i < f.indices.size(); ++i) in.push_back(build.index());
  p.outputs = {body({build, in, f.attrs, f.name}).node};
  compile(p);
  return tape.add_op_cell(tape.key, std::make_shared<const Program>(std::move(p)));
}

Expr record_call(GraphTape& tape, const FunctionCall& f, BodyFunction body) {
  if (f.operands.size() > detail::CallArguments::most)
    throw ShapeError(std::string(f.name) + ": " + std::to_string(f.operands.size()) +
                     " operands are given; outside a cell, at most " + std::to_string(detail::CallArguments::most) +
                     " are allowed");
  const uint32_t cell = find_cell(tape, f, body);
  std::array<Expr, detail::CallArguments::most> rows;
  std::array<Number, detail::CallArguments::most> numbers;
  size_t row_count = 0, number_count = 0;
  for (const Operand& o : f.operands) {
    if (o.kind == Operand::Kind::expr) rows[row_count++] = o.expr;
    if (o.kind == Operand::Kind::number) numbers[number_count++] = Number(o.value);
  }
  const uint32_t value =
      append_call(tape, cell, {{rows.data(), row_count}, f.indices, {numbers.data(), number_count}, {}}, f.at);
  return expr_of(tape, value);
}

}  // namespace

Expr record_function(const FunctionCall& f, BodyFunction body) {
  Expr from;  // determines the graph or trace; traced operands take precedence
  for (const Operand& o : f.operands) {
    if (o.kind != Operand::Kind::expr) continue;
    if (!o.expr) throw GraphError(std::string(f.name) + ": an empty Expr is given; a value is needed" + str(f.at));
    if (!from || (o.expr.entry()->tracing && !from.entry()->tracing)) from = o.expr;
  }
  for (const Index& i : f.indices)
    if (i.traced()) from = i.traced();
  if (!from && f.tape == nullptr)
    throw GraphError(
        std::string(f.name) +
        ": no operand determines the graph; pass the Graph first, or use a value of it: row(g, parameter)" + str(f.at));
  try {
    if (is_traced(from)) return record_traced(trace_of(from, f.name, f.at), f, body);
    return record_call(f.tape != nullptr ? *f.tape : graph_of(from, f.name, f.at), f, body);
  } catch (Error& e) {
    // Errors of the program builder do not contain the user's line yet.
    if (std::string_view(e.what()).find(str(f.at)) == std::string_view::npos) e.append(str(f.at));
    throw;
  }
}

Expr record_over_rows(std::string_view name, std::span<const Expr> rows, Where at, BodyFunction body) {
  if (rows.empty()) throw ShapeError(std::string(name) + ": nothing is given; at least one row is needed" + str(at));
  if (!rows[0]) throw GraphError(std::string(name) + ": an empty Expr is given; a value is needed" + str(at));
  ESPALIER_CHECK(!is_traced(rows[0]));
  GraphTape& tape = graph_of(rows[0], name, at);
  const Shape shape = tape.shape(recorded_value(tape, rows[0], name, at));
  Key key(tape.key);
  key.add(name);
  key.add("rows");
  key.add(shape);
  const auto it = tape.op_cells.find(tape.key);
  uint32_t cell = it != tape.op_cells.end() ? it->second : no_cell;
  if (cell == no_cell) {
    Program p;
    p.name = std::string(name);
    Builder build(p);
    build.group();
    const std::array in{build.row(shape, 1, "row")};
    p.outputs = {body({build, in, {}, name}).node};
    compile(p);
    cell = tape.add_op_cell(tape.key, std::make_shared<const Program>(std::move(p)));
  }
  const std::array group{Many<Expr>(rows).erased()};
  return expr_of(tape, append_call(tape, cell, {.groups = group}, at));
}

}  // namespace espalier
