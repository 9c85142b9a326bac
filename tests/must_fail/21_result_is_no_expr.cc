// expect: a cell gives Exprs, or a struct / array / tuple of them
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// A cell gives rows; an integer is its caller's.
struct Out {
  Expr x;
  esp::Index i;
};
auto f(esp::Scope p) {
  return p.cell("c", {{3}, {}}, [](Expr x, esp::Index i) { return Out{x, i}; });
}
