// Convolution and pooling of one example [channels,…], named as in torch.nn.functional. W [out,channels,…] and b [out]
// are Parameters, which all calls share, or rows. conv1d is narrow with a padding of 0, wide with one of kernel - 1.
#pragma once
#include <optional>

#include <espalier/expr/expr.h>

namespace espalier {

// One number for both directions, or {height, width}.
struct Size2d {
  int height, width;
  Size2d(int both) : height(both), width(both) {}
  Size2d(int h, int w) : height(h), width(w) {}
};

ESPALIER_API Expr conv1d(Expr x, Operand W, std::optional<Operand> b = {}, int stride = 1, int padding = 0,
                         ESPALIER_AT);
ESPALIER_API Expr conv2d(Expr x, Operand W, std::optional<Operand> b = {}, Size2d stride = 1, Size2d padding = 0,
                         ESPALIER_AT);

// Windows follow each other, unless a stride is given. Beyond the edge is nothing for max_pool, zeros for avg_pool.
ESPALIER_API Expr max_pool1d(Expr x, int kernel, std::optional<int> stride = {}, int padding = 0, ESPALIER_AT);
ESPALIER_API Expr max_pool2d(Expr x, Size2d kernel, std::optional<Size2d> stride = {}, Size2d padding = 0, ESPALIER_AT);
ESPALIER_API Expr avg_pool1d(Expr x, int kernel, std::optional<int> stride = {}, int padding = 0, ESPALIER_AT);
ESPALIER_API Expr avg_pool2d(Expr x, Size2d kernel, std::optional<Size2d> stride = {}, Size2d padding = 0, ESPALIER_AT);

}  // namespace espalier
