// expect: co_await it, or pass it to record
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

esp::Task<int> parse(esp::Graph& g);

// A task that is not awaited never starts.
void f(esp::Graph& g) { parse(g); }
