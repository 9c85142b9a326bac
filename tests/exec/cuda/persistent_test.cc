// Persistent kernels on a GPU: the cache of compiled kernels distinguishes models.
#include <functional>

#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "exec/executor.h"

namespace espalier {
namespace ESPALIER_FILE {

constexpr int size = 32;

// The last state of a chain that is long enough for a persistent kernel.
Tensor last_state(Engine& engine, const std::function<Expr(Expr)>& activation) {
  Parameters params(1);
  Scope scope = params;
  const Parameter w = scope.add("w", {size, size});
  const auto next = scope.cell("next", {{size}}, [&](Expr h) { return activation(linear(h, w)); });
  Graph g = engine.graph();
  Expr h = ones(g, {size});
  for (int i = 0; i < 12; ++i) h = next(h);
  return engine.tensor(h);
}

// Models of the same shapes, one after the other: a new cell may have the address of a destroyed one.
TEST(PersistentKernels, KnowModelsThatComeAndGo) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  Engine cuda({.device = Device::cuda()}), ref({.device = Device::ref()});
  const std::vector<std::function<Expr(Expr)>> activations{
      [](Expr x) { return tanh(x); }, [](Expr x) { return sigmoid(x); }, [](Expr x) { return relu(x); }};
  for (int round = 0; round < 4; ++round)
    for (const auto& activation : activations) {
      const Tensor got = last_state(cuda, activation), expected = last_state(ref, activation);
      for (size_t e = 0; e < expected.size(); ++e) ASSERT_NEAR(got[e], expected[e], 1e-4f) << "round " << round;
    }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
