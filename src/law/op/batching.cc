// Laws: n calls in one graph equal n graphs with one call each under every policy; a device equals the reference.
#include <algorithm>

#include "law/op/laws.h"
#include "law/tolerance.h"
#include "op/kernel/product.h"

namespace espalier::law {

std::string batching_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    const OpCell cell(c, given);
    const std::vector<Arguments> calls = some_calls(cell, 9);
    const Outcome apart = run_apart(on(device), cell, calls);
    for (Policy policy : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic}) {
      const Outcome together = run_together(on(device, policy), cell, calls);
      const std::string who = "policy " + std::string(name(policy)) + ": ";
      if (std::string d = differences(together, apart, cell.op().tolerance); !d.empty()) return who + d;
      if (policy != Policy::none && together.steps >= apart.steps)
        return who + std::to_string(together.steps) + " steps batched, " + std::to_string(apart.steps) + " one by one";
    }
    return {};
  });
}

// Calls with the shortest allowed lists; empty ones if the op accepts them.
std::string shortest_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    const OpCell cell(c, given);
    if (cell.program()->groups() == 0) return {};
    std::vector<Arguments> calls;
    for (uint64_t n : {3, 7, 11, 15}) calls.push_back(cell.arguments(n));
    return differences(run_together(on(device), cell, calls), run_apart(on(device), cell, calls), cell.op().tolerance);
  });
}

std::string partial_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    const OpCell cell(c, given);
    const std::vector<Arguments> calls = some_calls(cell, 9);
    Engine engine(on(device));
    Graph graph = engine.graph();
    std::vector<RecordedOp> recorded;
    for (const Arguments& a : calls) recorded.push_back(cell.record(graph, a));
    std::vector<Expr> losses, results;
    std::vector<Arguments> some;
    for (size_t i = 0; i < calls.size(); ++i) {
      results.push_back(recorded[i].y);
      for (Expr leaf : recorded[i].leaves) engine.watch(leaf);
      if (i % 3 == 1) continue;
      losses.push_back(loss_of(graph, recorded[i], calls[i]));
      some.push_back(calls[i]);
    }
    (void)engine.tensors(results);  // runs all calls in one round
    const Gradients gradients = engine.backward(losses);
    Outcome outcome;
    for (size_t i = 0; i < calls.size(); ++i) {
      std::vector<Tensor> of_leaves;
      for (Expr leaf : recorded[i].leaves) of_leaves.push_back(gradients.of(leaf));
      if (i % 3 != 1) {
        outcome.y.push_back(engine.tensor(recorded[i].y));
        outcome.leaves.push_back(of_leaves);
        continue;
      }
      for (const Tensor& t : of_leaves)
        if (std::ranges::any_of(t, [](float x) { return x != 0; }))
          return "call " + std::to_string(i) + " has no loss but gets a gradient";
    }
    for (const Parameter& p : cell.parameters()) outcome.parameters.push_back(gradients.of(p));
    return differences(outcome, run_apart(on(device), cell, some), cell.op().tolerance);
  });
}

std::string parity_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    const OpCell cell(c, given);
    // More calls than SIMD lanes, and not a multiple of any lane count.
    const std::vector<Arguments> calls = some_calls(cell, 37);
    return differences(run_together(on(device), cell, calls), run_together(on(Device::ref()), cell, calls),
                       cell.op().tolerance);
  });
}

namespace {

bool has_products(const Program& p) {
  const auto one = [](const Kernel& k) { return k.kind == Kernel::Kind::op && multiplies_matrices(k.op); };
  return std::ranges::any_of(p.code.forward, one) || std::ranges::any_of(p.code.backward, one);
}

}  // namespace

// Only matrix products are rounded. Factors are at most 2; the floor of 2 in too_far covers results that nearly cancel.
std::string rounded_broken(const OpCase& c, Device device) {
  return each_way(*c.op, [&](Given given) -> std::string {
    const OpCell cell(c, given);
    if (!has_products(*cell.program())) return {};
    const std::vector<Arguments> calls = some_calls(cell, 37);
    const Outcome ref = run_together(on(Device::ref()), cell, calls);
    for (Precision precision : {Precision::tf32, Precision::bf16}) {
      const Outcome own = run_together(on(device, Policy::automatic, precision), cell, calls);
      const auto far = [&](const Tensor& a, const Tensor& b) { return too_far(a, b, precision, 2); };
      if (std::string d = differences(own, ref, far); !d.empty()) return d;
    }
    return {};
  });
}

}  // namespace espalier::law
