// Convolution and pooling of one example [channels,…], named as in torch.nn.functional. W [out,channels,…] and b [out]
// are Parameters, shared by all calls, or rows. A conv1d is narrow with padding 0, wide with padding kernel - 1.
#pragma once
#include <optional>

#include <espalier/expr/expr.h>

namespace espalier {

// One size for both directions, or {height, width}.
struct Size2d {
  int height, width;
  Size2d(int both) : height(both), width(both) {}
  Size2d(int h, int w) : height(h), width(w) {}
};

ESPALIER_API Expr conv1d(Expr x, Operand W, std::optional<Operand> b = {}, int stride = 1, int padding = 0,
                         ESPALIER_AT);
ESPALIER_API Expr conv2d(Expr x, Operand W, std::optional<Operand> b = {}, Size2d stride = 1, Size2d padding = 0,
                         ESPALIER_AT);

// The stride defaults to the kernel size. max_pool skips padded elements; avg_pool counts them as zeros.
ESPALIER_API Expr max_pool1d(Expr x, int kernel, std::optional<int> stride = {}, int padding = 0, ESPALIER_AT);
ESPALIER_API Expr max_pool2d(Expr x, Size2d kernel, std::optional<Size2d> stride = {}, Size2d padding = 0, ESPALIER_AT);
ESPALIER_API Expr avg_pool1d(Expr x, int kernel, std::optional<int> stride = {}, int padding = 0, ESPALIER_AT);
ESPALIER_API Expr avg_pool2d(Expr x, Size2d kernel, std::optional<Size2d> stride = {}, Size2d padding = 0, ESPALIER_AT);

}  // namespace espalier
