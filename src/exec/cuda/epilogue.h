// A run that adds a bias to a product, and perhaps takes max(x, 0) of it, where nobody else reads the product: cuBLASLt
// does that on the way out. Knows no device.
#pragma once
#include <optional>

#include "cell/code.h"

namespace espalier {

struct Epilogue {
  RowsOf bias;  // of a parameter
  bool relu = false;
  RowsOf out;  // of the run
};

// What run `run` becomes behind the product `product`, if that is all that happens to the product.
std::optional<Epilogue> epilogue_of(const Code& code, const Kernel& product, const Kernel& run);

}  // namespace espalier
