#include <espalier/expr/functions/algebra.h>

#include "expr/functions/function.h"
#include "op/kernel/algebra.h"

namespace espalier {

Expr inverse(Expr x, Where at) { return single<op::Inverse>({x}, {}, at); }
Expr logdet(Expr x, Where at) { return single<op::Logdet>({x}, {}, at); }

}  // namespace espalier
