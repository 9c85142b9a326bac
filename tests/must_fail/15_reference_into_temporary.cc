// expect: use of deleted function|call to deleted
#include <espalier/block.h>
#include <espalier/espalier.h>
namespace esp = espalier;
namespace blk = espalier::block;
using esp::Expr;

struct Leaf {
  int word;
  std::vector<float> v;
};

// The result of the block would refer to a destroyed Leaf.
const std::vector<float>& f(esp::Graph& g) { return blk::field<&Leaf::v>()(g, Leaf{}); }
