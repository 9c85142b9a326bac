// expect: (no match for .operator\[\].|no viable overloaded operator\[\] for type) .*Many<.*State>
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// The fields of a Many are reached by name; it has no items while the cell is defined.
auto f(esp::Scope p) {
  return p.cell("c", {{3}}, [](esp::Many<esp::nn::State> kids) { return kids[0].h; });
}
