#include "expr/trace.h"

#include <espalier/expr/cell.h>
#include "cell/passes.h"
#include "expr/record.h"
#include "op/kernel/rows.h"

namespace espalier {

KnownCells& KnownCells::of(detail::ParametersState& root) {
  if (!root.cells) root.cells = std::make_unique<KnownCells>();
  return static_cast<KnownCells&>(*root.cells);
}

Trace& KnownCells::open() {
  for (auto& t : traces)
    if (!t->busy) {
      t->busy = true;
      return *t;
    }
  traces.push_back(std::make_unique<Trace>());
  traces.back()->busy = true;
  return *traces.back();
}

void KnownCells::close(Trace& trace) {
  trace.forget_values();
  trace.program = Program{};
  trace.busy = false;
}

std::vector<int> inline_cell(Builder& into, const Program& cell, const std::vector<int>& rows,
                             const std::vector<int>& indices, const std::vector<int>& numbers,
                             const std::vector<int>& groups) {
  std::vector<int> to(static_cast<size_t>(cell.forward_nodes));
  for (int i = 0; i < cell.forward_nodes; ++i) {
    const Node& n = cell.node(i);
    const auto which = static_cast<size_t>(n.which);
    int& node = to[static_cast<size_t>(i)];
    switch (n.kind) {
      case Node::Kind::row:
        node = rows[which];
        break;
      case Node::Kind::index:
        node = indices[which];
        break;
      case Node::Kind::number:
        node = numbers[which];
        break;
      case Node::Kind::literal:
        node = into.literal(n.which);
        break;
      case Node::Kind::parameter:
        node = into.parameter(cell.parameters[which], n.shape);
        break;
      case Node::Kind::gradient:
        break;
      case Node::Kind::op: {
        std::vector<int> in;
        for (int k : n.in) in.push_back(to[static_cast<size_t>(k)]);
        Attrs attrs = n.attrs;
        if (n.op->place == Place::list)
          attrs = erase(op::ListAttrs{groups[static_cast<size_t>(unerase<op::ListAttrs>(attrs).list)]});
        if (n.op->random) attrs.back() = into.site();
        node = into.make(*n.op, std::move(attrs), in);
      }
    }
  }
  std::vector<int> outputs;
  for (int o : cell.outputs) outputs.push_back(to[static_cast<size_t>(o)]);
  return outputs;
}

namespace detail {

struct Tracing::State {
  std::shared_ptr<ParametersState> root;  // kept alive while the lambda runs
  KnownCells& known;
  Trace& trace;
  std::vector<Shape> shapes;
  Where at;
  int argument = -1, field = 0;

  std::string name() const {
    return "argument " + std::to_string(argument) + (field > 0 ? "." + std::to_string(field) : "");
  }
  const Shape& shape() const { return shapes[static_cast<size_t>(argument)]; }
  Expr expr(int node) const { return expr_of(trace, static_cast<uint32_t>(node)); }
};

Tracing::Tracing(const Scope& scope, std::string_view name, std::initializer_list<Shape> shapes, size_t arguments,
                 Where at) {
  std::shared_ptr<ParametersState> root = scope.root();
  FullName full(joined(scope.path(), name), root->origin);
  if (shapes.size() != arguments) {
    auto count = [](size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); };
    throw ShapeError(str(full) + ": " + count(shapes.size(), "shape") + (shapes.size() == 1 ? " is" : " are") +
                     " given for " + count(arguments, "argument") + "; give one each ({} for an Index or a Number)" +
                     str(at));
  }
  KnownCells& known = KnownCells::of(*root);
  state_ = std::make_unique<State>(State{std::move(root), known, known.open(), shapes, at});
  state_->trace.program.name = std::move(full);
}
Tracing::~Tracing() { KnownCells::close(state_->trace); }

void Tracing::argument() {
  ++state_->argument;
  state_->field = 0;
}
Expr Tracing::row() {
  const int node = state_->trace.builder.row(state_->shape(), call_space, state_->name());
  ++state_->field;
  return state_->expr(node);
}
Index Tracing::index() { return Index(state_->expr(state_->trace.builder.index())); }
Number Tracing::number() { return Number(state_->expr(state_->trace.builder.number())); }
uint32_t Tracing::group(int fields) {
  const int g = state_->trace.builder.group();
  int first = 0;
  for (int f = 0; f < fields; ++f, ++state_->field) {
    const int node = state_->trace.builder.row(state_->shape(), 1 + g, state_->name());
    if (f == 0) first = node;
  }
  return static_cast<uint32_t>(first);
}
TapeEntry* Tracing::entry() const { return state_->trace.entry(); }
uint32_t Tracing::stamp() const { return state_->trace.stamp; }

void Tracing::output(Expr value) {
  Program& p = state_->trace.program;
  const int node = traced_node(state_->trace, value, p.name, state_->at);
  const Node& n = p.node(node);
  if (n.space > call_space)
    throw ShapeError(str(p.name) + ": the result is a list of rows" + str(n.shape) +
                     "; a cell returns single rows: reduce it (sum_rows, mean_rows, max_rows)" + str(state_->at));
  p.outputs.push_back(node);
}

std::shared_ptr<const Program> Tracing::finish() {
  Program p = std::move(state_->trace.program);
  normalise(p);
  KnownCells& known = state_->known;
  if (known.by_key.size() >= known.max_keys) {
    std::erase_if(known.by_key, [](const auto& entry) { return entry.second.expired(); });
    known.max_keys = std::max<size_t>(64, 2 * known.by_key.size());
  }
  std::weak_ptr<const Program>& place = known.by_key[key_of(p)];
  if (auto same = place.lock()) return same;
  compile(p);
  auto made = std::make_shared<const Program>(std::move(p));
  place = made;
  return made;
}

Expr field_rows(TapeEntry* entry, uint32_t first, uint32_t stamp, int field) {
  if (entry == nullptr || !entry->tracing)
    throw GraphError("Many: its rows are read outside a cell; only the cell that takes it can read them");
  return {entry, first + static_cast<uint32_t>(field), stamp};
}

std::string cell_name(const std::shared_ptr<const Program>& program) {
  if (program == nullptr) cell_is_empty({});
  return str(program->name);
}

}  // namespace detail
}  // namespace espalier
