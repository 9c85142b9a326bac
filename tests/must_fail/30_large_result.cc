// expect: a result has a struct that inherits or has more than eight fields, which cannot be searched for Exprs
#include <espalier/espalier.h>
namespace esp = espalier;

// Too many fields to search for Exprs.
struct Scores {
  esp::Expr a, b, c, d, e, f, g, h, i;
};
auto f(esp::Engine& engine, const std::vector<int>& examples) {
  auto batch = engine.record(examples, [](esp::Graph&, int) { return Scores(); });
  return engine.infer(batch);
}
