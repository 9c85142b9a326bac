#include <espalier/block/composition.h>

namespace espalier::block::detail {

void foreign_wire() {
  throw GraphError(
      "composition: a wire of another composition, of none, or from before output() is given; use those of this one");
}

}  // namespace espalier::block::detail
