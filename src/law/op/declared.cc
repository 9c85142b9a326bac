// What an op declares is complete and true: its shape, its text, its refusals.
#include "cell/passes.h"
#include "law/op/laws.h"

namespace espalier::law {

std::string shape_broken(const OpCase& c, Device device) {
  const std::string shape = str(c.op->infer(c.sample.attrs, c.sample.shapes));
  return each_way(*c.op, [&](Given given) -> std::string {
    const OpCell cell(c, given);
    Engine engine(on(device));
    Graph graph = engine.graph();
    const RecordedOp r = cell.record(graph, cell.arguments(0));
    const Tensor y = engine.tensor(r.y);
    for (const std::string& got : {str(cell.inferred()), str(r.y.shape()), str(y.shape)})
      if (got != shape) return "the shape is " + got + ", declared as " + shape;
    return static_cast<int64_t>(y.data.size()) == y.shape.size() ? "" : "as many numbers as the shape has not";
  });
}

// A program as text and back is the same program, and computes the same bits.
std::string text_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    OpCell cell(c, given);
    const std::string text = print(*cell.program()), key = key_of(*cell.program());
    std::vector<std::shared_ptr<Slot>> slots;
    for (const Parameter& p : cell.parameters()) slots.push_back(p.slot());
    Program again = parse_program(text, slots);
    compile(again);
    if (print(again) != text) return "printed:\n" + text + "parsed and printed again:\n" + print(again);
    if (key_of(again) != key) return "parsed again, its key is another";
    const std::vector<Arguments> calls = some_calls(cell, 3);
    const Outcome before = run_together(on(device), cell, calls);
    cell.replace(std::move(again));
    return differences(run_together(on(device), cell, calls), before, 0);
  });
}

std::string declaration_broken(const OpCase& c, Device) {
  const OpInfo& op = *c.op;
  if (op.doc.text.empty() || op.doc.math.empty()) return "it says not what it is";
  if (!op.differentiable() && op.doc.text.find("o gradient") == std::string_view::npos)
    return "it passes no gradient and does not say so";
  if (!(op.tolerance > 0)) return "its tolerance is not above 0";
  if (find_op(op.doc.name) != &op) return "another op has its name";
  if (op.samples().empty()) return "it has no sample";
  for (const Input& in : op.inputs) {
    if (in.name.empty()) return "an input has no name";
    if (in.role == Role::index && op.index_limit == nullptr) return std::string(in.name) + " has no limit";
  }
  return {};
}

std::string refusal_broken(const OpInfo& op, const Reject& reject) {
  return each_way(op, [&](Given given) -> std::string {
    try {
      const OpCell cell(op, reject.attrs, reject.shapes, given);
      return "it is taken, and gives " + str(cell.inferred());
    } catch (const ShapeError& e) {
      return e.what() == std::string(reject.message) ? "" : "it says: " + std::string(e.what());
    }
  });
}

}  // namespace espalier::law
