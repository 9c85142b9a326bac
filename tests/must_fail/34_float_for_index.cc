// expect: from .double. to .(espalier::)?Index
#include <espalier/espalier.h>
using espalier::Expr;

// An Index is an integer: a float would be truncated.
Expr f(Expr x) { return pick(x, 0.5); }
