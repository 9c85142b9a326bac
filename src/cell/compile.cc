#include "cell/passes.h"

namespace espalier {

void compile(Program& program) {
  canonical_order(program);
  own_outputs(program);
  differentiate(program);
  common_subexpressions(program);
  generate(program);
  verify(program);
}

}  // namespace espalier
