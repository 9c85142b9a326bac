// expect: record calls f\(graph, example\) for each example; f must take a Graph& and an element of what is given
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// The function must take a graph and one example.
struct Leaf {};
struct Pair {};
auto f(esp::Engine& engine, const std::vector<Leaf>& leaves) {
  return engine.record(leaves, [](esp::Graph& g, const Pair&) { return esp::zeros(g, {3}); });
}
