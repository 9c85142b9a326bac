// expect: all cases must give the same type
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

// A leaf gives a row, a pair a state.
auto f(esp::nn::State s) {
  return blk::one_of<Tree>(
      blk::field<&Leaf::word>() >> [](esp::Graph& g, int) { return esp::zeros(g, {3}); },
      blk::field<&Pair::left>() >> [s](esp::Graph&, const Tree&) { return s; });
}
