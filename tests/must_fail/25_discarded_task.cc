// expect: co_await it, or give it to record
#include <espalier/espalier.h>
namespace esp = espalier;
using esp::Expr;

esp::Task<int> parse(esp::Graph& g);

// A task that nobody awaits never begins.
void f(esp::Graph& g) { parse(g); }
