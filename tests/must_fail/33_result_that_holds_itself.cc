// expect: a result is a recursive struct of Exprs; return its nodes as a vector
#include <espalier/espalier.h>
namespace esp = espalier;

struct Tree {
  esp::Expr value;
  std::vector<Tree> kids;
};
auto f(esp::Engine& engine, const std::vector<int>& examples) {
  return engine.infer(engine.record(examples, [](esp::Graph& g, int) { return Tree{esp::zeros(g, {3}), {}}; }));
}
