// A user's test of a custom op: its laws, and training through it.
#include "running_max.h"

#include <cstdio>

#include <espalier/law/check_op.h>

namespace esp = espalier;

int main() {
  const std::vector<std::string> broken = esp::check_op<RunningMax>();
  for (const std::string& law : broken) std::printf("broken: %s\n", law.c_str());

  const esp::CustomOp<RunningMax> running_max;
  esp::Parameters params(3);
  const esp::nn::Linear in(params / "in", 2, 4), out(params / "out", 4, 2);
  esp::Engine engine;
  esp::optim::Adam adam(params, {.lr = 0.05f});
  const std::vector<std::vector<float>> examples{{0, 1}, {1, 0}, {1, 1}, {0, 0}};
  float first = 0, last = 0;
  for (int step = 0; step < 40; ++step) {
    auto batch = engine.record(examples, [&](esp::Graph& g, const std::vector<float>& x) {
      return cross_entropy(out(running_max({in(input(g, x, {2}))})), x[0] != x[1]);
    });
    auto gradients = engine.backward(batch.results, 0.25f);
    last = gradients.loss().get();
    if (step == 0) first = last;
    adam.step(gradients);
  }
  std::printf("own op: %zu laws broken, loss %.3f, then %.3f\n", broken.size(), static_cast<double>(first),
              static_cast<double>(last));
  return broken.empty() && last < 0.5f * first ? 0 : 1;
}
