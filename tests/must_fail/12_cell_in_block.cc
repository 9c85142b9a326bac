// expect: Fits<int, .*Cell<.*State ?\(.*State, .*State\)>
#include <espalier/block.h>
#include <espalier/espalier.h>
namespace esp = espalier;
namespace blk = espalier::block;
using esp::Expr;

struct Leaf {
  int word;
  std::vector<float> v;
};

// The cell takes two States, but gets an int.
auto f(const esp::nn::TreeLSTM& lstm) { return blk::field<&Leaf::word>() >> lstm.node; }
