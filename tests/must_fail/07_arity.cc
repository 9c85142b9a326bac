// expect: no match(ing function)? for call to .*Cell<.*State ?\(.*State, .*State\)>
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// A node of a binary tree has two children.
auto f(const esp::nn::TreeLSTM& lstm, esp::nn::State s) { return lstm.node(s); }
