// Convolution: unfold, then one product with the weights shared by all windows. Composed.
#pragma once
#include "op/composed.h"
#include "op/composed/mean.h"
#include "op/kernel/product.h"
#include "op/kernel/window.h"

namespace espalier::op {

struct ConvAttrs {
  Shape stride{1}, padding{0};
};

// The window of the weights [out,channels,…].
inline WindowAttrs window_of(const ConvAttrs& a, const Shape& x, const Shape& W) {
  const int axes = a.stride.rank;
  const std::string name = windowed("conv", a.stride);
  if (axes < 1 || axes > 2 || W.rank != axes + 2 || x.rank != axes + 1 || W[1] != x[0])
    throw ShapeError(name + ": W" + str(W) + " does not apply to x" + str(x) + "; " +
                     (axes == 2 ? "x must be [channels,height,width] and W [out,channels,height,width]"
                                : "x must be [channels,length] and W [out,channels,length]"));
  return {Shape::of(W.dims.data() + 2, axes), a.stride, a.padding};
}
inline Shape convolved(const ConvAttrs& a, const Shape& x, const Shape& W) {
  return with(window_places(windowed("conv", a.stride), window_of(a, x, W), x), 0, W[0]);
}

// b is optional: an empty Term means no bias.
inline Term convolution(const ConvAttrs& a, Term x, Term W, Term b) {
  const Shape shape = convolved(a, x.shape(), W.shape());
  const Term windows = apply<Unfold>(window_of(a, x.shape(), W.shape()), {x});
  const bool parameter = W.maker->is_parameter(W.node);
  W = apply<Reshape>({{W.shape()[0], windows.shape()[1]}}, {W});
  Term y = parameter ? apply<Linear>({}, {windows, W}) : apply<Matmul>({false, true}, {windows, W});
  if (b.maker != nullptr) y = y + apply<Broadcast>({0, y.shape()[0]}, {b});
  return apply<Reshape>({shape}, {apply<Transpose>({}, {y})});
}

struct Conv : Composed<ConvAttrs> {
  static constexpr Doc doc{"conv", "Cross-correlation of x [channels,…] with the weights W [out,channels,…].",
                           "y[o, p] = Σ_{c,k} W[o, c, k] x[c, p stride + k - padding]"};
  static constexpr std::array<std::string_view, 2> attr_names{"stride", "padding"};
  static constexpr std::array inputs{Input{"x"}, Input{"W"}};
  static Shape infer(const ConvAttrs& a, std::span<const Shape> in) { return convolved(a, in[0], in[1]); }
  static Term compose(const ConvAttrs& a, std::span<const Term> in) { return convolution(a, in[0], in[1], {}); }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{{1}, {0}}), {{2, 5}, {3, 2, 3}}},
            {erase(Attrs{{2}, {1}}), {{1, 4}, {2, 1, 2}}},
            {erase(Attrs{{1, 2}, {1, 0}}), {{2, 2, 4}, {3, 2, 2, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{{1}, {0}}),
             {{2, 5}, {3, 4, 3}},
             "conv1d: W[3,4,3] does not apply to x[2,5]; x must be [channels,length] and W [out,channels,length]"},
            {erase(Attrs{{1, 1}, {0, 0}}),
             {{2, 5}, {3, 2, 3}},
             "conv2d: W[3,2,3] does not apply to x[2,5]; x must be [channels,height,width] and W "
             "[out,channels,height,width]"},
            {erase(Attrs{{1}, {0}}),
             {{2, 2}, {3, 2, 3}},
             "conv1d: kernel [3], stride [1], padding [0] over x[2,2]; the kernel must fit into x and its padding"}};
  }
};

struct ConvBias : Composed<ConvAttrs> {
  static constexpr Doc doc{"conv_bias",
                           "Cross-correlation of x [channels,…] with the weights W, plus a bias per output channel.",
                           "y[o, p] = b[o] + Σ_{c,k} W[o, c, k] x[c, p stride + k - padding]"};
  static constexpr std::array<std::string_view, 2> attr_names{"stride", "padding"};
  static constexpr std::array inputs{Input{"x"}, Input{"W"}, Input{"b"}};
  static Shape infer(const ConvAttrs& a, std::span<const Shape> in) {
    const Shape y = convolved(a, in[0], in[1]);
    if (in[2] != Shape{y[0]})
      throw ShapeError(windowed("conv", a.stride) + ": b" + str(in[2]) + " does not match W" + str(in[1]) +
                       "; b must be " + str({y[0]}));
    return y;
  }
  static Term compose(const ConvAttrs& a, std::span<const Term> in) { return convolution(a, in[0], in[1], in[2]); }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{{1}, {2}}), {{2, 3}, {3, 2, 3}, {3}}},
            {erase(Attrs{{2, 1}, {0, 1}}), {{1, 4, 2}, {2, 1, 2, 2}, {2}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{{1}, {0}}), {{2, 5}, {3, 2, 3}, {2}}, "conv1d: b[2] does not match W[3,2,3]; b must be [3]"}};
  }
};

struct AvgPool : Composed<WindowAttrs> {
  static constexpr Doc doc{"avg_pool", "Mean of each window over x [channels,…], per channel; padding counts as zeros.",
                           "y[c, p] = Σ_k x[c, p stride + k - padding] / |k|"};
  static constexpr std::array<std::string_view, 3> attr_names{"kernel", "stride", "padding"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const WindowAttrs& a, std::span<const Shape> in) {
    return with(window_places(windowed("avg_pool", a.kernel), a, in[0]), 0, in[0][0]);
  }
  static Term compose(const WindowAttrs& a, std::span<const Term> in) {
    const Shape shape = infer(a, std::array{in[0].shape()});
    const Term windows = apply<Unfold>(a, in);
    const int places = windows.shape()[0], channels = in[0].shape()[0];
    const Term each = apply<Reshape>({{places, channels, axis_size("avg_pool", a.kernel.size())}}, {windows});
    return apply<Reshape>({shape}, {apply<Transpose>({}, {apply<MeanAxis>({2}, {each})})});
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{{2, 2}, {2, 1}, {0, 1}}), {{2, 4, 3}}}, {erase(Attrs{{3}, {2}, {1}}), {{2, 5}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{{3}, {1}, {0}}),
             {{4}},
             "avg_pool1d: kernel [3], stride [1], padding [0] over x[4]; x must be [channels,length]"}};
  }
};

}  // namespace espalier::op
