// expect: a cell takes at most 32 Exprs, 32 Indexes, 32 Numbers and 4 Manys; a Many takes any number of rows
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// A call takes at most four Manys.
using Rows = esp::Many<Expr>;
auto f(esp::Scope p) {
  return p.cell("c", {{3}, {3}, {3}, {3}, {3}}, [](Rows a, Rows, Rows, Rows, Rows) { return sum_rows(a); });
}
