// expect: every alternative of the variant needs a block that takes it
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

// There is no case for Pair.
auto f() {
  return blk::one_of<Tree>(blk::field<&Leaf::word>() >> [](esp::Graph& g, int) { return esp::zeros(g, {3}); });
}
