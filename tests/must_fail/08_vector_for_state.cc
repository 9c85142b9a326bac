// expect: no known conversion .*from .std::vector<.*State>. to .*State
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// A cell takes any number of children only as a Many.
auto f(const esp::nn::TreeLSTM& lstm, esp::nn::State s) {
  std::vector<esp::nn::State> children{s, s};
  return lstm.node(s, children);
}
