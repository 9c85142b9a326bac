// expect: a cell must return Exprs, or a struct / array / tuple of them
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// A cell returns rows, not integers.
struct Out {
  Expr x;
  esp::Index i;
};
auto f(esp::Scope p) {
  return p.cell("c", {{3}, {}}, [](Expr x, esp::Index i) { return Out{x, i}; });
}
