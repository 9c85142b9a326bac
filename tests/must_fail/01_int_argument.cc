// expect: a cell takes Index for an integer and Number for a float that differ per call; int and float would be frozen
// into the cell
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// An int would be frozen when the cell is defined; an integer that differs per call is an Index.
auto f(esp::Scope p) {
  return p.cell("c", {{3}, {}}, [](Expr x, int label) { return cross_entropy(x, label); });
}
