// expect: no match(ing function)? for call to .*Linear
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// A number is not a row: input(g, 3.f) creates one.
auto f(const esp::nn::Linear& out) { return out(3.f); }
