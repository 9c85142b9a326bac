// A run that adds a bias to a product, and nothing else, where nobody else reads the product: cuBLASLt does that on the
// way out. Not max(x, 0), which it could do as well: it makes a zero of what is not a number. Knows no device.
#pragma once
#include <optional>

#include "cell/code.h"

namespace espalier {

struct Epilogue {
  RowsOf bias;  // of a parameter
  RowsOf out;   // of the run
};

// What run `run` becomes behind the product `product`, if that is all that happens to the product.
std::optional<Epilogue> epilogue_of(const Code& code, const Kernel& product, const Kernel& run);

}  // namespace espalier
