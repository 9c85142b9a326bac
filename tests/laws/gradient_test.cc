// The gradient of every op, in double, against differences.
#include "laws/op_law.h"

#include <cmath>

namespace espalier::test {
namespace {

class Gradient : public OpLaw {
 protected:
  // d loss / d x by four evaluations; the error is of fourth order in the step.
  template <class F>
  static double slope(float& x, F loss) {
    const float before = x;
    auto at = [&](int steps) {
      x = before + static_cast<float>(steps) * grain;
      return loss();
    };
    const double d = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * static_cast<double>(grain));
    x = before;
    return d;
  }

  static void expect_near(double given, double slope, const std::string& where) {
    if (!GetParam().op->differentiable())
      EXPECT_EQ(given, 0) << where << ": the op passes no gradient";
    else
      EXPECT_NEAR(given, slope, 2e-6 * std::max(1.0, std::abs(slope))) << where;
  }
};

TEST_P(Gradient, equals_differences) {
  if (GetParam().op->own_slope) GTEST_SKIP() << "its gradient is not meant to be its slope";
  each_way([](Given given) {
    OpCell cell(GetParam(), given);
    std::vector<Arguments> calls = some_calls(cell, 3);
    auto loss = [&] { return run_together(on(Device::ref()), cell, calls).loss; };
    const Outcome outcome = run_together(on(Device::ref()), cell, calls);
    for (size_t c = 0; c < calls.size(); ++c)
      for (size_t l = 0; l < calls[c].leaves.size(); ++l)
        for (size_t e = 0; e < calls[c].leaves[l].size(); ++e)
          expect_near(static_cast<double>(outcome.leaves[c][l].data[e]), slope(calls[c].leaves[l][e], loss),
                      "call " + std::to_string(c) + ", leaf " + std::to_string(l) + ", element " + std::to_string(e));
    for (size_t i = 0; i < cell.parameters().size(); ++i) {
      Parameter& p = cell.parameters()[i];
      Tensor value = p.value();
      for (size_t e = 0; e < value.data.size(); ++e) {
        const double d = slope(value.data[e], [&] {
          p.assign(value);
          return loss();
        });
        p.assign(value);
        expect_near(static_cast<double>(outcome.parameters[i].data[e]), d,
                    "parameter " + std::to_string(i) + ", element " + std::to_string(e));
      }
    }
  });
}

// Whatever else is wanted: a kernel may serve several gradients, and some of them may have nobody who reads them.
TEST_P(Gradient, is_the_same_when_asked_for_alone) {
  each_way([](Given given) {
    OpCell cell(GetParam(), given);
    const std::vector<Arguments> calls = some_calls(cell, 3);
    for (Device device : {Device::ref(), Device::cpu()}) {
      SCOPED_TRACE(str(device));
      const Outcome all = run_together(on(device), cell, calls);
      Engine engine(on(device));
      auto alone = [&](auto&& want) {
        Graph graph = engine.graph();
        std::vector<Recorded> recorded;
        std::vector<Expr> losses;
        for (const Arguments& a : calls) recorded.push_back(cell.record(graph, a));
        for (size_t i = 0; i < calls.size(); ++i) losses.push_back(loss_of(graph, recorded[i], calls[i]));
        return want(recorded, losses);
      };
      for (Parameter& p : cell.parameters()) p.freeze();
      for (size_t c = 0; c < calls.size(); ++c)
        for (size_t l = 0; l < calls[c].leaves.size(); ++l) {
          const Tensor gradient = alone([&](const auto& recorded, const auto& losses) {
            engine.watch(recorded[c].leaves[l]);
            return engine.backward(losses).of(recorded[c].leaves[l]);
          });
          EXPECT_EQ(gradient.data, all.leaves[c][l].data) << "call " << c << ", leaf " << l;
        }
      for (size_t i = 0; i < cell.parameters().size(); ++i) {
        cell.parameters()[i].freeze(false);
        const Tensor gradient =
            alone([&](const auto&, const auto& losses) { return engine.backward(losses).of(cell.parameters()[i]); });
        EXPECT_EQ(gradient.data, all.parameters[i].data) << "parameter " << i;
        cell.parameters()[i].freeze();
      }
      for (Parameter& p : cell.parameters()) p.freeze(false);
    }
  });
}
ESPALIER_LAW_OVER_OPS(Gradient);

}  // namespace
}  // namespace espalier::test
