// Laws: the declaration of an op is complete and correct: its shape, its text form, its error messages.
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
    for (const std::string& got : {str(cell.inferred()), str(r.y.shape()), str(y.shape())})
      if (got != shape) return "the shape is " + got + ", but declared as " + shape;
    return static_cast<int64_t>(y.size()) == y.shape().size() ? "" : "the number of elements does not match the shape";
  });
}

// A program that is printed and parsed is the same program and computes the same bits.
std::string text_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    OpCell cell(c, given);
    const std::string text = print(*cell.program()), key = key_of(*cell.program());
    std::vector<std::shared_ptr<ParameterStorage>> parameters;
    for (const Parameter& p : cell.parameters()) parameters.push_back(p.storage());
    Program again = parse_program(text, parameters);
    compile(again);
    if (print(again) != text) return "printed:\n" + text + "parsed and printed again:\n" + print(again);
    if (key_of(again) != key) return "the parsed program has a different key";
    const std::vector<Arguments> calls = some_calls(cell, 3);
    const Outcome before = run_together(on(device), cell, calls);
    cell.replace(std::move(again));
    return differences(run_together(on(device), cell, calls), before, 0);
  });
}

std::string declaration_broken(const OpCase& c, Device) {
  const OpInfo& op = *c.op;
  if (op.doc.text.empty() || op.doc.math.empty()) return "doc.text or doc.math is empty";
  if (!op.differentiable() && op.doc.text.find("o gradient") == std::string_view::npos)
    return "it has no gradient, but doc.text does not say \"no gradient\"";
  if (!(op.tolerance > 0)) return "its tolerance is not positive";
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
      return "it is accepted and gives " + str(cell.inferred());
    } catch (const ShapeError& e) {
      return e.what() == std::string(reject.message) ? "" : "it says: " + std::string(e.what());
    }
  });
}

}  // namespace espalier::law
