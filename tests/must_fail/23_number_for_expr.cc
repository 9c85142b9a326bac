// expect: no match(ing function)? for call to .*Linear
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// A number is no row: input(g, 3.f) makes one.
auto f(const esp::nn::Linear& out) { return out(3.f); }
