// expect: (cannot convert .*Await<int>.* to .int.|no viable conversion from '.*Await<int>' to 'int')
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// The value is not computed yet: co_await is missing.
int f(Expr scores) {
  int best = argmax(scores);
  return best;
}
