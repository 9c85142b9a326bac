#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>

#include <espalier/engine/engine.h>
#include <espalier/expr/cell.h>
#include "cell/program.h"
#include "graph/tape.h"
#include "replay/functions.h"
#include "replay/program.h"

namespace espalier::replay {
namespace {

struct TracedCell {
  const CellProgram* source = nullptr;
  std::shared_ptr<const espalier::Program> program;
};
using Cells = std::map<std::string, TracedCell>;

struct Outputs {
  Rows rows;
  Expr loss, first;
};

detail::GroupArgument states_of(const Token& token, const Arguments& from, States& items) {
  Expr first;
  if (token.kind == 'S') {  // the States of a list argument of the cell that is being traced
    from.convert(token.items[0], first);
    return {first.entry(), first.id(), first.stamp(), nullptr, 0, 2, nullptr};
  }
  from.convert(token, items);
  return Many<nn::State>(items).erased();
}
detail::GroupArgument rows_of(const Token& token, const Arguments& from, Rows& items) {
  Expr first;
  if (token.kind == 'v') {
    from.convert(token, first);
    return {first.entry(), first.id(), first.stamp(), nullptr, 0, 1, nullptr};
  }
  from.convert(token, items);
  return Many<Expr>(items).erased();
}

Rows call(const TracedCell& cell, Place& place, const std::vector<Token>& tokens) {
  Arguments from(place, tokens);
  Rows rows;
  Indices indices;
  std::vector<Number> numbers;
  std::vector<detail::GroupArgument> groups;
  std::vector<Rows> lists(tokens.size());
  std::vector<States> states(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    switch (cell.source->arguments.at(i).kind) {
      case 'r':
        from.convert(tokens[i], rows.emplace_back());
        break;
      case 'i':
        from.convert(tokens[i], indices.emplace_back());
        break;
      case 'f':
        from.convert(tokens[i], numbers.emplace_back());
        break;
      case 's':
        for (const Token& part : tokens[i].items) from.convert(part, rows.emplace_back());
        break;
      case 'l':
        groups.push_back(rows_of(tokens[i], from, lists[i]));
        break;
      default:
        groups.push_back(states_of(tokens[i], from, states[i]));
    }
  }
  Rows outputs(cell.source->results.size());
  detail::call(cell.program, place.graph, {rows, indices, numbers, groups}, Where::here(), outputs.data());
  return outputs;
}

void run(const std::vector<Line>& lines, const Cells& cells, Place& place) {
  for (const Line& l : lines) {
    Rows added;
    if (l.function.starts_with("call.")) {
      added = call(cells.at(l.function.substr(5)), place, l.arguments);
    } else {
      const auto found = functions().find(l.function);
      if (found == functions().end()) throw DataError("replay: no function is named " + l.function);
      Arguments from(place, l.arguments);
      added = found->second(from);
    }
    place.values.insert(place.values.end(), added.begin(), added.end());
  }
}

TracedCell trace(const CellProgram& source, const Cells& cells, const Model& model, Parameters& owner) {
  std::vector<Shape> shapes;
  for (const CellArgument& a : source.arguments) shapes.push_back(a.shape);
  detail::Tracing tracing(owner, source.name, shapes, shapes.size(), Where::here());
  Place place{model};
  for (const CellArgument& a : source.arguments) {
    tracing.argument(a.name);
    if (a.kind == 'i') {
      place.values.push_back(tracing.index().traced());
    } else if (a.kind == 'f') {
      place.values.push_back(tracing.number().traced());
    } else if (a.kind == 'r' || a.kind == 's') {
      for (int k = a.kind == 's' ? 2 : 1; k > 0; --k) place.values.push_back(tracing.row());
    } else {
      const int fields = a.kind == 't' ? 2 : 1;
      const uint32_t first = tracing.group(fields);
      for (int k = 0; k < fields; ++k)
        place.values.push_back(detail::field_rows(tracing.entry(), first, tracing.stamp(), k));
    }
  }
  run(source.lines, cells, place);
  for (const size_t value : source.results) tracing.output(place.values.at(value));
  return {&source, tracing.finish()};
}

std::string bits(const std::string& name, const Tensor& t) {
  std::string s = name + " " + str(t.shape());
  char hex[16];
  for (const float x : t) {
    std::snprintf(hex, sizeof hex, " %08x", std::bit_cast<uint32_t>(x));
    s += hex;
  }
  return s + "\n";
}

}  // namespace

std::string replay(const Program& program) {
  Model model(program.seed);
  Parameters owner;  // of the cells
  Cells cells;
  for (const CellProgram& c : program.cells) cells[c.name] = trace(c, cells, model, owner);
  Engine engine({.threads = program.threads, .seed = program.seed + 1});
  const auto record = [&](Graph& g, const ExampleProgram& e) {
    Place place{model, &g};
    run(e.lines, cells, place);
    Outputs o{{}, place.values.at(e.loss), place.values.at(0)};
    for (const size_t value : e.outputs) o.rows.push_back(place.values.at(value));
    return o;
  };

  std::string s;
  auto batch = engine.record(program.examples, record, {.epoch = 3});
  for (const Graph& g : batch.shards) {
    s += print(g.tape());
    for (const auto& cell : g.tape().cells) s += print(*cell);
  }
  Rows losses, rows, first;
  for (const Outputs& o : batch.results) {
    losses.push_back(o.loss);
    rows.insert(rows.end(), o.rows.begin(), o.rows.end());
    first.push_back(o.first);
    engine.watch(o.first);
  }
  const Gradients gradients = engine.backward(losses, 0.5f);
  s += "shared " + std::to_string(engine.counters().shared_calls) + "\n";
  s += bits("loss", Tensor(Shape{}, std::vector<float>{gradients.loss().get()}));
  for (const Tensor& t : engine.tensors(rows)) s += bits("value", t);
  for (const Parameter& p : model.parameters.all()) s += bits("gradient " + p.name(), gradients.of(p));
  for (const Expr x : first) s += bits("gradient of a value", gradients.of(x));
  auto inferred = engine.record(program.examples, record, {.mode = Mode::infer, .epoch = 3});
  Batch<Rows> outputs;
  for (const Outputs& o : inferred.results) outputs.results.push_back(o.rows);
  for (const auto& example : engine.infer(outputs))
    for (const Tensor& t : example) s += bits("inferred", t);
  return s;
}

}  // namespace espalier::replay
