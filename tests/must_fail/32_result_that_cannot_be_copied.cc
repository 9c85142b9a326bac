// expect: a result holds a value that cannot be copied; move the batch: infer\(std::move\(batch\)\)
#include <espalier/espalier.h>
namespace esp = espalier;

auto f(esp::Engine& engine, const std::vector<int>& examples) {
  const auto batch = engine.record(examples, [](esp::Graph&, int n) { return std::make_unique<int>(n); });
  return engine.infer(batch);
}
