// expect: (no match for .operator==.|invalid operands to binary expression) \(.*Expr.* and .*Expr.\)
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// An Expr has no value yet: it cannot be compared.
bool f(Expr x) { return x == x; }
