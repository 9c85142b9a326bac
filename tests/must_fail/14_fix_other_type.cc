// expect: f\(self\) must return a Block<In, Out>
#include <espalier/block.h>
#include <espalier/espalier.h>
namespace esp = espalier;
namespace blk = espalier::block;
using esp::Expr;

struct Leaf {
  int word;
  std::vector<float> v;
};

// The recursion returns a row, but is declared to return a State.
auto f() {
  return blk::fix<Leaf, esp::nn::State>({3}, [](auto) { return blk::field<&Leaf::v>() >> blk::vector(3); });
}
