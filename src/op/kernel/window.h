// Sliding windows over the last one or two axes of a row [channels, …]: unfold (im2col), fold, and max pooling. Kernel
// sizes, strides and paddings are Shapes with one number per window axis.
#pragma once
#include "op/kernel/axis.h"

namespace espalier::op {

struct WindowAttrs {
  Shape kernel{1}, stride{1}, padding{0};
};

// "conv" + "2d", by the number of axes.
inline std::string windowed(std::string_view name, const Shape& kernel) {
  return std::string(name) + (kernel.rank == 2 ? "2d" : "1d");
}
inline std::string window_text(const WindowAttrs& a) {
  return "kernel " + str(a.kernel) + ", stride " + str(a.stride) + ", padding " + str(a.padding);
}
// The number of window positions along each axis. Throws ShapeError if there is none or if the attributes are invalid.
inline Shape window_places(std::string_view name, const WindowAttrs& a, const Shape& x) {
  const int axes = a.kernel.rank;
  auto refuse = [&](const std::string& needed) {
    return ShapeError(std::string(name) + ": " + window_text(a) + " over x" + str(x) + "; " + needed);
  };
  if (axes < 1 || axes > 2 || a.stride.rank != axes || a.padding.rank != axes)
    throw refuse("all three must have the same rank, 1 or 2");
  if (x.rank != axes + 1) throw refuse(axes == 1 ? "x must be [channels,length]" : "x must be [channels,height,width]");
  std::array<int, 2> places{};
  for (int i = 0; i < axes; ++i) {
    if (a.kernel[i] < 1 || a.stride[i] < 1) throw refuse("kernel and stride must be at least 1");
    const int64_t room = int64_t{x[i + 1]} + 2 * int64_t{a.padding[i]} - a.kernel[i];
    if (room < 0) throw refuse("the kernel must fit into x and its padding");
    places[static_cast<size_t>(i)] = axis_size(name, room / a.stride[i] + 1);
  }
  return Shape::of(places.data(), axes);
}

struct FoldAttrs {
  Shape kernel{1}, stride{1}, padding{0}, shape{1, 1};
};
struct Unfold {
  using Attrs = WindowAttrs;
  static constexpr Doc doc{"unfold",
                           "The windows over x [channels,…] as the rows of a matrix (im2col); zeros beyond the edge.",
                           "y[p, (c,k)] = x[c, p stride + k - padding]"};
  static constexpr std::array<std::string_view, 3> attr_names{"kernel", "stride", "padding"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const WindowAttrs& a, std::span<const Shape> in) {
    const Shape places = window_places("unfold", a, in[0]);
    return {axis_size("unfold", places.size()), axis_size("unfold", in[0][0] * a.kernel.size())};
  }
  static void gradient(const WindowAttrs& a, Adjoint& g);
  static std::vector<Sample> samples() {
    return {{erase(Attrs{{3}, {1}, {0}}), {{2, 5}}},
            {erase(Attrs{{2}, {3}, {1}}), {{1, 4}}},
            {erase(Attrs{{2, 3}, {1, 2}, {0, 1}}), {{2, 3, 4}}},
            {erase(Attrs{{1, 1}, {2, 2}, {1, 0}}), {{1, 2, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{{4}, {1}, {0}}),
             {{2, 3}},
             "unfold: kernel [4], stride [1], padding [0] over x[2,3]; the kernel must fit into x and its padding"},
            {erase(Attrs{{2}, {0}, {0}}),
             {{2, 3}},
             "unfold: kernel [2], stride [0], padding [0] over x[2,3]; kernel and stride must be at least 1"},
            {erase(Attrs{{2, 2}, {1}, {0, 0}}),
             {{2, 3, 3}},
             "unfold: kernel [2,2], stride [1], padding [0,0] over x[2,3,3]; all three must have the same "
             "rank, 1 or 2"},
            {erase(Attrs{{2, 2}, {1, 1}, {0, 0}}),
             {{2, 3}},
             "unfold: kernel [2,2], stride [1,1], padding [0,0] over x[2,3]; x must be [channels,height,width]"}};
  }
};

struct Fold {
  using Attrs = FoldAttrs;
  static constexpr Doc doc{"fold", "Adjoint of unfold: puts the windows back and adds them where they overlap.",
                           "y[c, i] = Σ_{p stride + k - padding = i} x[p, (c,k)]"};
  static constexpr std::array<std::string_view, 4> attr_names{"kernel", "stride", "padding", "shape"};
  static constexpr std::array inputs{Input{"x"}};
  static WindowAttrs window(const FoldAttrs& a) { return {a.kernel, a.stride, a.padding}; }
  static Shape infer(const FoldAttrs& a, std::span<const Shape> in) {
    const Shape places = window_places("fold", window(a), a.shape);
    const Shape needed{axis_size("fold", places.size()), axis_size("fold", a.shape[0] * a.kernel.size())};
    if (in[0] != needed)
      throw ShapeError("fold: x" + str(in[0]) + " to " + str(a.shape) + " with " + window_text(window(a)) +
                       "; x must be " + str(needed));
    return a.shape;
  }
  static void gradient(const FoldAttrs& a, Adjoint& g) { g.add(0, apply<Unfold>(window(a), {g.dy()})); }
  static double flops(const FoldAttrs&, std::span<const Shape> in, const Shape&) {
    return static_cast<double>(in[0].size());
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{{3}, {1}, {0}, {2, 5}}), {{3, 6}}},
            {erase(Attrs{{2}, {3}, {1}, {1, 4}}), {{2, 2}}},
            {erase(Attrs{{2, 3}, {1, 2}, {0, 1}, {2, 3, 4}}), {{4, 12}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{{3}, {1}, {0}, {2, 5}}),
             {{3, 5}},
             "fold: x[3,5] to [2,5] with kernel [3], stride [1], padding [0]; x must be [3,6]"}};
  }
};
inline void Unfold::gradient(const WindowAttrs& a, Adjoint& g) {
  g.add(0, apply<Fold>({a.kernel, a.stride, a.padding, g.in(0).shape()}, {g.dy()}));
}

// As in PyTorch, the padding is limited so that no window lies entirely beyond the edge.
inline Shape pooled(const WindowAttrs& a, const Shape& x) {
  const std::string name = windowed("max_pool", a.kernel);
  const Shape places = window_places(name, a, x);
  if (x.size() == 0) throw ShapeError(name + ": x" + str(x) + " is empty; a maximum needs at least one element");
  for (int i = 0; i < places.rank; ++i)
    if (a.padding[i] > a.kernel[i] / 2)
      throw ShapeError(name + ": " + window_text(a) + " over x" + str(x) +
                       "; the padding must be at most half of the kernel");
  return with(places, 0, x[0]);
}

struct MaxPoolGradient {
  using Attrs = WindowAttrs;
  static constexpr Doc doc{
      "max_pool_gradient",
      "Gradient of max_pool with respect to x: dy at the first largest element of each window. No gradient.",
      "y[c, i] = Σ_p dy[c, p] (i = argmax in window p ? 1 : 0)"};
  static constexpr std::array<std::string_view, 3> attr_names{"kernel", "stride", "padding"};
  static constexpr std::array inputs{Input{"x"}, Input{"dy"}};
  static Shape infer(const WindowAttrs& a, std::span<const Shape> in) {
    if (const Shape y = pooled(a, in[0]); in[1] != y)
      throw ShapeError("max_pool_gradient: dy" + str(in[1]) + " of x" + str(in[0]) + "; dy must be " + str(y));
    return in[0];
  }
  static double flops(const WindowAttrs& a, std::span<const Shape> in, const Shape&) {
    return static_cast<double>(in[1].size() * a.kernel.size());
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{{2, 2}, {1, 1}, {1, 0}}), {{2, 3, 3}, {2, 4, 2}}},
            {erase(Attrs{{3}, {2}, {1}}), {{1, 5}, {1, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{{3}, {2}, {1}}), {{1, 5}, {1, 5}}, "max_pool_gradient: dy[1,5] of x[1,5]; dy must be [1,3]"}};
  }
};
struct MaxPool {
  using Attrs = WindowAttrs;
  static constexpr Doc doc{"max_pool", "Maximum of each window over x [channels,…], per channel.",
                           "y[c, p] = max_k x[c, p stride + k - padding]"};
  static constexpr std::array<std::string_view, 3> attr_names{"kernel", "stride", "padding"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const WindowAttrs& a, std::span<const Shape> in) { return pooled(a, in[0]); }
  static void gradient(const WindowAttrs& a, Adjoint& g) { g.add(0, apply<MaxPoolGradient>(a, {g.in(0), g.dy()})); }
  static double flops(const WindowAttrs& a, std::span<const Shape>, const Shape& y) {
    return static_cast<double>(y.size() * a.kernel.size());
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{{2, 2}, {2, 2}, {0, 0}}), {{2, 4, 5}}},
            {erase(Attrs{{3, 2}, {1, 2}, {1, 1}}), {{1, 3, 4}}},
            {erase(Attrs{{3}, {2}, {1}}), {{2, 5}}},
            {erase(Attrs{{1}, {1}, {0}}), {{1, 1}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{{2, 2}, {1, 1}, {2, 0}}),
             {{1, 4, 4}},
             "max_pool2d: kernel [2,2], stride [1,1], padding [2,0] over x[1,4,4]; the padding must be at most half of "
             "the kernel"},
            {erase(Attrs{{3}, {1}, {0}}),
             {{4}},
             "max_pool1d: kernel [3], stride [1], padding [0] over x[4]; x must be [channels,length]"}};
  }
};

}  // namespace espalier::op
