// expect: Fits<const .*vector<float>.*&, .*Map<.*Block<Leaf, int> ?>
#include <espalier/block.h>
#include <espalier/espalier.h>
namespace esp = espalier;
namespace blk = espalier::block;
using esp::Expr;

struct Leaf {
  int word;
  std::vector<float> v;
};

// The elements are floats, but the block takes Leaf.
auto f() { return blk::field<&Leaf::v>() >> blk::map(blk::field<&Leaf::word>()); }
