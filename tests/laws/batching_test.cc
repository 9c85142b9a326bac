// n calls in one graph equal n graphs of one call; the CPU equals the reference; the shape is the inferred one.
#include "laws/op_law.h"

namespace espalier::test {
namespace {

class Batching : public OpLaw {
 protected:
  static void holds(Device device) {
    each_way([&](Given given) {
      const OpCell cell(GetParam(), given);
      const std::vector<Arguments> calls = some_calls(cell, 9);
      const Outcome apart = run_apart(on(device), cell, calls);
      for (Policy policy : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic}) {
        const Outcome together = run_together(on(device, policy), cell, calls);
        EXPECT_EQ(differences(together, apart, cell.op().tolerance), "") << "policy " << name(policy);
        if (policy != Policy::none) {
          EXPECT_LT(together.steps, apart.steps) << "policy " << name(policy);
        }
      }
    });
  }
};
TEST_P(Batching, equals_one_by_one_on_ref) { holds(Device::ref()); }
TEST_P(Batching, equals_one_by_one_on_cpu) { holds(Device::cpu()); }
ESPALIER_LAW_OVER_OPS(Batching);

// Lists that are all as short as they may be: of no rows, where an op can do without.
class Shortest : public OpLaw {};
TEST_P(Shortest, lists_batch_like_any) {
  each_way([](Given given) {
    const OpCell cell(GetParam(), given);
    if (cell.program()->groups() == 0) return;
    std::vector<Arguments> calls;
    for (uint64_t n : {3, 7, 11, 15}) calls.push_back(cell.arguments(n));
    for (Device device : {Device::ref(), Device::cpu()})
      EXPECT_EQ(
          differences(run_together(on(device), cell, calls), run_apart(on(device), cell, calls), cell.op().tolerance),
          "")
          << str(device);
  });
}
ESPALIER_LAW_OVER_OPS(Shortest);

// Only some calls lead to a loss: the others get no gradient and change none.
class Partial : public OpLaw {};
TEST_P(Partial, losses_leave_the_others_alone) {
  each_way([](Given given) {
    const OpCell cell(GetParam(), given);
    const std::vector<Arguments> calls = some_calls(cell, 9);
    for (Device device : {Device::ref(), Device::cpu()}) {
      SCOPED_TRACE(str(device));
      Engine engine(on(device));
      Graph graph = engine.graph();
      std::vector<Recorded> recorded;
      for (const Arguments& a : calls) recorded.push_back(cell.record(graph, a));
      std::vector<Expr> losses;
      std::vector<Arguments> some;
      for (size_t i = 0; i < calls.size(); ++i) {
        for (Expr leaf : recorded[i].leaves) engine.watch(leaf);
        if (i % 3 == 1) continue;
        losses.push_back(loss_of(graph, recorded[i], calls[i]));
        some.push_back(calls[i]);
      }
      std::vector<Expr> results;
      for (const Recorded& r : recorded) results.push_back(r.y);
      (void)engine.tensors(results);  // all have run, in one round
      const Gradients gradients = engine.backward(losses);
      const Outcome apart = run_apart(on(device), cell, some);
      Outcome outcome;
      for (size_t i = 0; i < calls.size(); ++i) {
        std::vector<Tensor> of_leaves;
        for (Expr leaf : recorded[i].leaves) of_leaves.push_back(gradients.of(leaf));
        if (i % 3 == 1) {
          for (const Tensor& t : of_leaves) EXPECT_EQ(t.data, std::vector<float>(t.data.size(), 0)) << "call " << i;
        } else {
          outcome.y.push_back(engine.tensor(recorded[i].y));
          outcome.leaves.push_back(of_leaves);
        }
      }
      for (const Parameter& p : cell.parameters()) outcome.parameters.push_back(gradients.of(p));
      EXPECT_EQ(differences(outcome, apart, cell.op().tolerance), "");
    }
  });
}
ESPALIER_LAW_OVER_OPS(Partial);

class Parity : public OpLaw {};
TEST_P(Parity, cpu_equals_ref) {
  each_way([](Given given) {
    const OpCell cell(GetParam(), given);
    // More calls than a vector has lanes, and a number that no vector divides.
    const std::vector<Arguments> calls = some_calls(cell, 37);
    const Outcome ref = run_together(on(Device::ref()), cell, calls);
    const Outcome cpu = run_together(on(Device::cpu()), cell, calls);
    EXPECT_EQ(differences(cpu, ref, cell.op().tolerance), "");
  });
}
ESPALIER_LAW_OVER_OPS(Parity);

class ResultShape : public OpLaw {};
TEST_P(ResultShape, is_the_inferred_one) {
  const OpCase& c = GetParam();
  const Shape shape = c.op->infer(c.sample.attrs, c.sample.shapes);
  each_way([&](Given given) {
    const OpCell cell(c, given);
    EXPECT_EQ(str(cell.inferred()), str(shape));
    Engine engine(on(Device::ref()));
    Graph graph = engine.graph();
    const Recorded r = cell.record(graph, cell.arguments(0));
    EXPECT_EQ(str(r.y.shape()), str(shape));
    const Tensor y = engine.tensor(r.y);
    EXPECT_EQ(str(y.shape), str(shape));
    EXPECT_EQ(static_cast<int64_t>(y.data.size()), shape.size());
  });
}
ESPALIER_LAW_OVER_OPS(ResultShape);

}  // namespace
}  // namespace espalier::test
