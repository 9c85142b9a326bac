// expect: a cell takes and gives Expr, Index, Number, Many<T>, or a struct / array / tuple of them
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// What a cell takes has rows, integers, numbers and lists in it, nothing else.
struct State {
  Expr h;
  std::string name;
};
auto f(esp::Scope p) {
  return p.cell("c", {{3}}, [](State s) { return tanh(s.h); });
}
