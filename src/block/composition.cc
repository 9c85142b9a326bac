#include <espalier/block/composition.h>

namespace espalier::block::detail {

void foreign_wire() {
  throw GraphError(
      "composition: a wire is empty, belongs to another composition, or is older than output(); use a wire of this "
      "one");
}

}  // namespace espalier::block::detail
