// expect: a cell takes and returns Expr, Index, Number, Many<T>, or a struct / array / tuple of them
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// Arguments of a cell contain only Expr, Index, Number and Many.
struct State {
  Expr h;
  std::string name;
};
auto f(esp::Scope p) {
  return p.cell("c", {{3}}, [](State s) { return tanh(s.h); });
}
