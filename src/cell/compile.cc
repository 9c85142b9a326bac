#include "cell/passes.h"

namespace espalier {

void normalise(Program& program) {
  own_outputs(program);
  products_first(program);
  canonical_order(program);
  move_slices(program);
  canonical_order(program);
  common_subexpressions(program);
  canonical_order(program);
}

void compile(Program& program) {
  normalise(program);
  differentiate(program);
  common_subexpressions(program);
  recompute(program);
  generate(program);
  find_hoisted(program);
  verify(program);
}

}  // namespace espalier
