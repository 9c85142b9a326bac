// expect: a cell needs a lambda with explicit argument types: \[&\]\(Expr x\) \{ \.\.\. \}, not auto
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// The argument types of a cell come from the lambda, so auto is not allowed.
auto f(esp::Scope p) {
  return p.cell("c", {{3}}, [](auto x) { return tanh(x); });
}
