// Normalisation of the last axis of a row, and of a weight. Composed.
#pragma once
#include "op/composed/distance.h"
#include "op/composed/moment.h"

namespace espalier::op {

struct EpsAttrs {
  float eps = 1e-5f;
};
template <class Self>
struct OfLastAxis : Composed<EpsAttrs> {
  static constexpr std::array<std::string_view, 1> attr_names{"eps"};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr double tolerance = 1e-4;  // divides a small difference by a small deviation
  static Shape infer(const EpsAttrs& a, std::span<const Shape> in) {
    if (in[0].rank == 0)
      throw ShapeError(std::string(Self::doc.name) + ": x[] is a scalar; x must have at least one axis");
    if (!(a.eps > 0))
      throw ShapeError(std::string(Self::doc.name) + ": eps = " + std::to_string(a.eps) + "; eps must be above 0");
    return in[0];
  }
  static std::vector<Sample> samples() {
    return {{erase(EpsAttrs{}), {{4}}}, {erase(EpsAttrs{0.5f}), {{2, 3}}}, {erase(EpsAttrs{}), {{1}}}};
  }
};

// x / √(mean of squares + eps), along the last axis.
inline Term scaled(Term x, double eps) {
  const int last = x.shape().rank - 1;
  const Term squares = apply<MeanAxis>({last}, {apply<Square>({}, {x})});
  return x / apply<Broadcast>({last, x.shape()[last]}, {apply<Sqrt>({}, {squares + eps})});
}

struct LayerNorm : OfLastAxis<LayerNorm> {
  static constexpr Doc doc{"layer_norm", "Normalises the last axis to mean 0 and variance 1 (Ba et al. 2016).",
                           "y = (x - mean) / √(var + eps)"};
  static Term compose(const EpsAttrs& a, std::span<const Term> in) {
    return scaled(centred(in[0], in[0].shape().rank - 1), static_cast<double>(a.eps));
  }
  static std::vector<Reject> rejects() {
    return {{erase(EpsAttrs{}), {{}}, "layer_norm: x[] is a scalar; x must have at least one axis"},
            {erase(EpsAttrs{0}), {{3}}, "layer_norm: eps = 0.000000; eps must be above 0"}};
  }
};
struct RmsNorm : OfLastAxis<RmsNorm> {
  static constexpr Doc doc{"rms_norm", "Normalises the last axis to mean square 1 (Zhang and Sennrich 2019).",
                           "y = x / √(Σ x² / n + eps)"};
  static Term compose(const EpsAttrs& a, std::span<const Term> in) { return scaled(in[0], static_cast<double>(a.eps)); }
  static std::vector<Reject> rejects() {
    return {{erase(EpsAttrs{}), {{}}, "rms_norm: x[] is a scalar; x must have at least one axis"}};
  }
};

struct WeightNorm : Composed<> {
  static constexpr Doc doc{"weight_norm", "Rescales the weight w to length g (Salimans and Kingma 2016).",
                           "y = g w / ‖w‖"};
  static constexpr std::array inputs{Input{"w"}, Input{"g"}};
  static constexpr double tolerance = 1e-4;
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[1].size() != 1)
      throw ShapeError("weight_norm: w" + str(in[0]) + ", g" + str(in[1]) + "; g must have one element");
    return in[0];
  }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    const Term g = in[1].shape() == Shape{} ? in[1] : apply<Reshape>({{}}, {in[1]});
    return in[0] * (g / apply<L2Norm>({}, {in[0]}));
  }
  static std::vector<Sample> samples() { return {{{}, {{3}, {}}, 0.2, 2}, {{}, {{2, 3}, {1}}, 0.2, 2}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{3}, {2}}, "weight_norm: w[3], g[2]; g must have one element"}};
  }
};

}  // namespace espalier::op
