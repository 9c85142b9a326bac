// Distances between two rows, and norms of one.
#pragma once
#include "op/composed.h"
#include "op/composed/mean.h"
#include "op/elementwise/activation.h"
#include "op/elementwise/choice.h"
#include "op/elementwise/power.h"
#include "op/kernel/axis.h"

namespace espalier::op {

// Reduces two rows of equal shape, or a row and a scalar, to a scalar.
template <class Self, class A = NoAttrs>
struct OfPair : Composed<A> {
  static constexpr std::array inputs{Input{"x"}, Input{"target"}};
  static Shape infer(const A&, std::span<const Shape> in) {
    if (in[0] != in[1] && in[0] != Shape{} && in[1] != Shape{})
      throw ShapeError(std::string(Self::doc.name) + ": x" + str(in[0]) + " and target" + str(in[1]) +
                       " differ; the shapes must be equal, or one a scalar");
    return {};
  }
  static std::vector<Sample> samples() {
    return {{erase(A{}), {{4}, {4}}}, {erase(A{}), {{2, 3}, {2, 3}}}, {erase(A{}), {{5}, {}}}};
  }
};

inline Term sum(Term x) { return apply<SumElements>({}, {x}); }
inline Term mean(Term x) { return apply<MeanElements>({}, {x}); }
inline Term difference(std::span<const Term> in) { return in[0] - in[1]; }

struct SquaredDistance : OfPair<SquaredDistance> {
  static constexpr Doc doc{"squared_distance", "Sum of the squared differences.", "y = Σ (x - t)²"};
  static Term compose(const NoAttrs&, std::span<const Term> in) { return sum(apply<Square>({}, {difference(in)})); }
  static std::vector<Reject> rejects() {
    return {{{}, {{3}, {4}}, "squared_distance: x[3] and target[4] differ; the shapes must be equal, or one a scalar"}};
  }
};
struct MseLoss : OfPair<MseLoss> {
  static constexpr Doc doc{"mse_loss", "Mean of the squared differences.", "y = Σ (x - t)² / n"};
  static Term compose(const NoAttrs&, std::span<const Term> in) { return mean(apply<Square>({}, {difference(in)})); }
};
struct L1Distance : OfPair<L1Distance> {
  static constexpr Doc doc{"l1_distance", "Sum of the absolute differences.", "y = Σ |x - t|"};
  static Term compose(const NoAttrs&, std::span<const Term> in) { return sum(apply<Abs>({}, {difference(in)})); }
};
struct L1Loss : OfPair<L1Loss> {
  static constexpr Doc doc{"l1_loss", "Mean of the absolute differences.", "y = Σ |x - t| / n"};
  static Term compose(const NoAttrs&, std::span<const Term> in) { return mean(apply<Abs>({}, {difference(in)})); }
};

struct DeltaAttrs {
  float delta = 1;
};
// With m = min(|d|, delta): m (|d| - m / 2), quadratic within delta and linear beyond.
inline Term huber(Term d, double delta) {
  const Term far = apply<Abs>({}, {d}), m = apply<Min>({}, {far, number(far, delta)});
  return m * (far - m * 0.5);
}
template <class Self>
struct HuberBase : OfPair<Self, DeltaAttrs> {
  static constexpr std::array<std::string_view, 1> attr_names{"delta"};
  static constexpr int degree = 2;
  static Shape infer(const DeltaAttrs& a, std::span<const Shape> in) {
    if (!(a.delta > 0))
      throw ShapeError(std::string(Self::doc.name) + ": delta = " + std::to_string(a.delta) +
                       "; delta must be above 0");
    return OfPair<Self, DeltaAttrs>::infer(a, in);
  }
};
struct HuberDistance : HuberBase<HuberDistance> {
  static constexpr Doc doc{"huber_distance", "Sum of Huber losses: quadratic up to delta, linear beyond (Huber 1964).",
                           "y = Σ |d| ≤ δ ? d² / 2 : δ (|d| - δ / 2), d = x - t"};
  static Term compose(const DeltaAttrs& a, std::span<const Term> in) {
    return sum(huber(difference(in), static_cast<double>(a.delta)));
  }
  static std::vector<Reject> rejects() {
    return {{erase(DeltaAttrs{0}), {{3}, {3}}, "huber_distance: delta = 0.000000; delta must be above 0"}};
  }
};
struct HuberLoss : HuberBase<HuberLoss> {
  static constexpr Doc doc{"huber_loss", "Mean Huber loss: quadratic up to delta, linear beyond (Huber 1964).",
                           "y = Σ (|d| ≤ δ ? d² / 2 : δ (|d| - δ / 2)) / n, d = x - t"};
  static Term compose(const DeltaAttrs& a, std::span<const Term> in) {
    return mean(huber(difference(in), static_cast<double>(a.delta)));
  }
  static std::vector<Reject> rejects() {
    return {{erase(DeltaAttrs{-1}), {{3}, {3}}, "huber_loss: delta = -1.000000; delta must be above 0"}};
  }
};

struct SquaredNorm : Composed<> {
  static constexpr Doc doc{"squared_norm", "Sum of the squares of all elements.", "y = Σ x²"};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr int degree = 2;
  static Shape infer(const NoAttrs&, std::span<const Shape>) { return {}; }
  static Term compose(const NoAttrs&, std::span<const Term> in) { return sum(apply<Square>({}, in)); }
  static std::vector<Sample> samples() { return {{{}, {{4}}}, {{}, {{2, 3}}}, {{}, {{}}}}; }
};
struct L2Norm : Composed<> {
  static constexpr Doc doc{"l2_norm", "Euclidean norm; the gradient at 0 is 0.", "y = √(Σ x²)"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const NoAttrs&, std::span<const Shape>) { return {}; }
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    return apply<SafeSqrt>({}, {apply<SquaredNorm>({}, in)});
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}}, {{}, {{2, 3}}}, {{}, {{}}}}; }
};

}  // namespace espalier::op
