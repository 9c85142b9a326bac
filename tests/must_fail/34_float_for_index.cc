// expect: from .double. to .(espalier::)?Index
#include <espalier/espalier.h>
using espalier::Expr;

// An index is an integer: a fraction would be cut off.
Expr f(Expr x) { return pick(x, 0.5); }
