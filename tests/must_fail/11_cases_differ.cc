// expect: all cases must return the same type
#include <espalier/block.h>
#include <espalier/espalier.h>
namespace esp = espalier;
namespace blk = espalier::block;
using esp::Expr;

struct Leaf {
  int word;
  std::vector<float> v;
};
struct Pair;
using Tree = std::variant<Leaf, std::unique_ptr<Pair>>;
struct Pair {
  Tree left, right;
};

// The case for Leaf returns a row, the case for Pair a State.
auto f(esp::nn::State s) {
  return blk::one_of<Tree>(
      blk::field<&Leaf::word>() >> [](esp::Graph& g, int) { return esp::zeros(g, {3}); },
      blk::field<&Pair::left>() >> [s](esp::Graph&, const Tree&) { return s; });
}
