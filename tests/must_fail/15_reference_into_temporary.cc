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

// What the block gives would point into a Leaf that is gone.
const std::vector<float>& f(esp::Graph& g) { return blk::field<&Leaf::v>()(g, Leaf{}); }
