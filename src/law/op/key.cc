// Law: calls run in one step only if they have the same op and the same attributes.
#include <algorithm>
#include <exception>

#include "law/op/laws.h"

namespace espalier::law {
namespace {

// All variants of the attributes that change one value and are accepted by the op.
std::vector<Attrs> changed(const OpInfo& op, const Sample& sample) {
  std::vector<Attrs> found;
  for (size_t i = 0; i < sample.attrs.size(); ++i) {
    // The last attribute of a random op is its site, which the cell assigns itself.
    if (op.random && i + 1 == sample.attrs.size()) continue;
    for (double change : {1.0, -1.0, 0.25, -0.25}) {
      Attrs attrs = sample.attrs;
      attrs[i] += change;
      try {
        op.infer(attrs, sample.shapes);
        if (op.text(attrs) == op.text(sample.attrs)) continue;  // an integer attribute truncates 2.25 to 2
      } catch (const std::exception&) {
        continue;
      }
      found.push_back(attrs);
      break;
    }
  }
  return found;
}

// Records calls of both cells alternating, at one depth, on the same leaves.
std::string mixed_up(const OpCell& cell, const OpCell& other, Device device, Policy policy) {
  const std::vector<Arguments> calls = some_calls(cell, 3);
  std::vector<Arguments> other_calls = some_calls(other, 3);  // their `data` and `weights` depend on the cell
  for (size_t i = 0; i < calls.size(); ++i) other_calls[i].leaves = calls[i].leaves;
  Engine engine(on(device, policy));
  Graph graph = engine.graph();
  std::vector<Expr> results;
  for (size_t i = 0; i < calls.size(); ++i) {
    results.push_back(cell.record(graph, calls[i]).y);
    results.push_back(other.record(graph, other_calls[i]).y);
  }
  const std::vector<Tensor> values = engine.tensors(results);
  const uint64_t steps = engine.counters().steps;
  const Outcome own = run_apart(on(device), cell, calls), others = run_apart(on(device), other, other_calls);
  for (size_t i = 0; i < calls.size(); ++i) {
    if (!std::ranges::equal(values[2 * i], own.y[i]))
      return "call " + std::to_string(i) + " is computed with the attributes of the other cell";
    if (!std::ranges::equal(values[2 * i + 1], others.y[i]))
      return "call " + std::to_string(i) + " of the other cell is computed with the attributes of this one";
  }
  engine.reset_counters();
  Graph alone = engine.graph();
  results.clear();
  for (size_t i = 0; i < calls.size(); ++i)
    for (int twice = 0; twice < 2; ++twice) results.push_back(cell.record(alone, calls[i]).y);
  (void)engine.tensors(results);
  return steps > engine.counters().steps ? "" : "two cells took no more steps than one cell";
}

}  // namespace

std::string key_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    const OpCell cell(c, given);
    for (const Attrs& attrs : changed(*c.op, c.sample)) {
      const std::string who = c.op->text(attrs) + ": ";
      const OpCell other(*c.op, attrs, c.sample.shapes, given, c.sample.lo, c.sample.hi, &cell);
      if (key_of(*cell.program()) == key_of(*other.program())) return who + "the same key";
      for (Policy policy : {Policy::depth, Policy::agenda, Policy::automatic})
        if (std::string broken = mixed_up(cell, other, device, policy); !broken.empty())
          return who + "policy " + std::string(name(policy)) + ": " + broken;
    }
    return {};
  });
}

}  // namespace espalier::law
