// expect: a Task waits for values, which may differ in every epoch, so its recording cannot be kept
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

esp::Task<int> parse(esp::Graph& g, uint64_t id);

// The recording would depend on computed values.
void f(esp::Engine& engine, const esp::Minibatch& minibatch) {
  const esp::Recorded kept(parse);
  (void)engine.record(minibatch, kept);
}
