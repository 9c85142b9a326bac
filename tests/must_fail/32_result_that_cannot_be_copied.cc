// expect: a result holds what cannot be copied; give it away: infer\(std::move\(batch\)\)
#include <espalier/espalier.h>
namespace esp = espalier;

auto f(esp::Engine& engine, const std::vector<int>& examples) {
  const auto batch = engine.record(examples, [](esp::Graph&, int n) { return std::make_unique<int>(n); });
  return engine.infer(batch);
}
