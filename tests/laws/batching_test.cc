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
