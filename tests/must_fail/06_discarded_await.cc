// expect: co_await it
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// co_await is missing.
void f(Expr scores) { argmax(scores); }
