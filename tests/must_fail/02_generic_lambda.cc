// expect: a cell is made from a lambda with written argument types: \[&\]\(Expr x\) \{ \.\.\. \}, not auto
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// What a cell takes is read off the lambda: an auto says nothing.
auto f(esp::Scope p) {
  return p.cell("c", {{3}}, [](auto x) { return tanh(x); });
}
