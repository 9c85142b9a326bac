#include <espalier/expr/functions/noise.h>

#include "expr/functions/function.h"
#include "op/rows.h"

namespace espalier {

Expr dropout(Expr x, float p, Where at) {
  return make("dropout", {x}, erase(op::MaskAttrs{p, 0}), at, [](const Body& f) {
    return f[0] * apply<op::DropoutMask>({static_cast<float>(f.attrs[0]), f.build.site()}, {f[0]});
  });
}

}  // namespace espalier
