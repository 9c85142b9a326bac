// expect: no known conversion .*from .std::vector<.*State>. to .*State
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// Any number of children is a Many, which this cell does not take.
auto f(const esp::nn::TreeLSTM& lstm, esp::nn::State s) {
  std::vector<esp::nn::State> children{s, s};
  return lstm.node(s, children);
}
