// expect: Fits<int, .*Dense>(.|\n)*does not take the result|does not take the result(.|\n)*Fits<int, .*Dense>
#include <espalier/block.h>
#include <espalier/espalier.h>
namespace esp = espalier;
namespace blk = espalier::block;
using esp::Expr;

struct Leaf {
  int word;
  std::vector<float> v;
};

// A number is not a vector.
auto f() { return blk::field<&Leaf::word>() >> blk::vector(3); }
