// Fused kernels that only add a bias to a product which nothing else reads: cuBLASLt can add the bias as its epilogue.
// The ReLU epilogue of cuBLASLt is not used, because it turns NaN into 0. Needs no device.
#pragma once
#include <optional>

#include "cell/code.h"

namespace espalier {

struct Epilogue {
  RowsOf bias;  // of a parameter
  RowsOf out;   // of the fused kernel
};

// The epilogue that replaces the fused kernel after the product, if there is one.
std::optional<Epilogue> epilogue_of(const Code& code, const Kernel& product, const Kernel& fused);

}  // namespace espalier
