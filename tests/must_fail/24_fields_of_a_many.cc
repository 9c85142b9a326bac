// expect: (no match for .operator\[\].|no viable overloaded operator\[\] for type) .*Many<.*State>
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// The fields of a Many are accessed by member pointer; it has no items while the cell is traced.
auto f(esp::Scope p) {
  return p.cell("c", {{3}}, [](esp::Many<esp::nn::State> kids) { return kids[0].h; });
}
