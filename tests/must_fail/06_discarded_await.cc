// expect: co_await it
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

// Nobody waits for it: co_await is missing.
void f(Expr scores) { argmax(scores); }
