// Losses for classes, probabilities, counts and rankings. Composed.
#pragma once
#include "op/composed/distance.h"
#include "op/elementwise/exponential.h"
#include "op/elementwise/special.h"
#include "op/kernel/indexed.h"

namespace espalier::op {

// The target class is an integer argument of the call.
struct NllLoss : Composed<> {
  static constexpr Doc doc{"nll_loss", "Negative log probability of the target.", "y = -x[target]"};
  static constexpr std::array inputs{Input{"log_probabilities"}, Input{"target", Role::index}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0].rank != 1)
      throw ShapeError("nll_loss: log_probabilities" + str(in[0]) + "; log_probabilities must be a vector");
    return {};
  }
  static int index_limit(const NoAttrs&, std::span<const Shape> in) { return in[0][0]; }
  static Term compose(const NoAttrs&, std::span<const Term> in) { return -apply<Pick>({}, in); }
  static std::vector<Sample> samples() { return {{{}, {{5}, {}}}, {{}, {{1}, {}}}}; }
  static std::vector<Reject> rejects() {
    return {{{}, {{2, 3}, {}}, "nll_loss: log_probabilities[2,3]; log_probabilities must be a vector"}};
  }
};

struct MarginAttrs {
  float margin = 1;
};
struct Hinge : Composed<MarginAttrs> {
  static constexpr Doc doc{"hinge", "Multiclass hinge loss: sum of the margin violations of the other classes.",
                           "y = Σ_{i ≠ target} max(0, margin - x[target] + x[i])"};
  static constexpr std::array<std::string_view, 1> attr_names{"margin"};
  static constexpr std::array inputs{Input{"scores"}, Input{"target", Role::index}};
  static Shape infer(const MarginAttrs&, std::span<const Shape> in) {
    if (in[0].rank != 1) throw ShapeError("hinge: scores" + str(in[0]) + "; scores must be a vector");
    return {};
  }
  static int index_limit(const MarginAttrs&, std::span<const Shape> in) { return in[0][0]; }
  static Term compose(const MarginAttrs& a, std::span<const Term> in) {
    const Term others = 1.0 - apply<OneHot>({in[0].shape()[0]}, {in[1]});
    const Term within = in[0] - apply<Pick>({}, in) + static_cast<double>(a.margin);
    return sum(apply<Relu>({}, {within}) * others);
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{1}), {{5}, {}}}, {erase(Attrs{0.5f}), {{3}, {}}}, {erase(Attrs{1}), {{1}, {}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1}), {{2, 3}, {}}, "hinge: scores[2,3]; scores must be a vector"}};
  }
};

struct PairwiseRankLoss : Composed<MarginAttrs> {
  static constexpr Doc doc{"pairwise_rank_loss",
                           "Sum of the margin violations: how far `better` fails to exceed `worse` by `margin`.",
                           "y = Σ max(0, margin - better + worse)"};
  static constexpr std::array<std::string_view, 1> attr_names{"margin"};
  static constexpr std::array inputs{Input{"better"}, Input{"worse"}};
  static Shape infer(const MarginAttrs&, std::span<const Shape> in) {
    if (in[0] != in[1])
      throw ShapeError("pairwise_rank_loss: better" + str(in[0]) + " and worse" + str(in[1]) +
                       " differ; the shapes must be equal");
    return {};
  }
  static Term compose(const MarginAttrs& a, std::span<const Term> in) {
    return sum(apply<Relu>({}, {in[1] - in[0] + static_cast<double>(a.margin)}));
  }
  static std::vector<Sample> samples() { return {{erase(Attrs{1}), {{4}, {4}}}, {erase(Attrs{0.25f}), {{}, {}}}}; }
  static std::vector<Reject> rejects() {
    return {
        {erase(Attrs{1}), {{3}, {4}}, "pairwise_rank_loss: better[3] and worse[4] differ; the shapes must be equal"}};
  }
};

// log x, clipped at log 1e-30 with gradient 0 below: a confidently wrong prediction costs much, but never infinity.
struct ClippedLog : Unary<> {
  static constexpr Doc doc{"clipped_log", "Logarithm of max(x, 1e-30); the gradient is 0 below 1e-30.",
                           "y = log(max(x, 1e-30))"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return log(max(x, T(1e-30)));
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term x = g.in(0);
    g.add(0, g.dy() * apply<Choose>({}, {x + -1e-30, 1.0 / x, number(x, 0)}));
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.1, 2}, {{}, {{2, 3}}, 0.5, 1}, {{}, {{3}}, -1, -0.1}}; }
};

struct BinaryCrossEntropy : OfPair<BinaryCrossEntropy> {
  static constexpr Doc doc{"binary_cross_entropy",
                           "Mean binary cross-entropy of the probabilities x; targets in [0, 1].",
                           "y = -Σ (t log x + (1 - t) log(1 - x)) / n, logarithms not below log 1e-30"};
  static constexpr double tolerance = 1e-4;  // 1 - x loses digits near 1
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    const Term x = in[0], t = in[1];
    return -mean(t * apply<ClippedLog>({}, {x}) + (1.0 - t) * apply<ClippedLog>({}, {1.0 - x}));
  }
  static std::vector<Sample> samples() { return {{{}, {{4}, {4}}, 0.1, 0.9}, {{}, {{2, 3}, {}}, 0.1, 0.9}}; }
};
struct BinaryCrossEntropyWithLogits : OfPair<BinaryCrossEntropyWithLogits> {
  static constexpr Doc doc{"binary_cross_entropy_with_logits",
                           "Mean binary cross-entropy of sigmoid(x); targets in [0, 1]; stable for any x.",
                           "y = Σ (max(x, 0) - x t + log(1 + exp(-|x|))) / n"};
  static constexpr int degree = 2;
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    return mean(apply<Softplus>({}, {in[0]}) - in[0] * in[1]);
  }
};

struct PoissonLoss : OfPair<PoissonLoss> {
  static constexpr Doc doc{
      "poisson_loss",
      "Negative log likelihood of the counts `target` under Poisson distributions with log rates x, summed.",
      "y = Σ exp(x) - t x + log Γ(t + 1)"};
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    return sum(apply<Exp>({}, {in[0]}) - in[0] * in[1] + apply<Lgamma>({}, {in[1] + 1.0}));
  }
  static std::vector<Sample> samples() { return {{{}, {{4}, {4}}, 0.1, 3}, {{}, {{}, {}}, 0.1, 3}}; }
};

struct XLogX : Unary<> {
  static constexpr Doc doc{"xlogx", "x log x; 0 for x ≤ 0.", "y = x > 0 ? x log x : 0"};
  template <class T>
  static T value(const NoAttrs&, T x) {
    return max(x, T(0.0)) * log(max(x, T(1e-37)));
  }
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term above = apply<Step>({}, {g.in(0)});
    g.add(0, g.dy() * above * (apply<ClippedLog>({}, {g.in(0)}) + 1.0));
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}, 0.1, 2}, {{}, {{2, 3}}, -1, -0.1}}; }
};
struct KlDiv : OfPair<KlDiv> {
  static constexpr Doc doc{"kl_div",
                           "Kullback-Leibler divergence of the distribution `target` from the log probabilities x.",
                           "y = Σ t (log t - x)"};
  static constexpr int degree = 2;
  static Term compose(const NoAttrs&, std::span<const Term> in) {
    const Term x = in[0], t = in[1];  // x may be -inf where t is 0
    return sum(apply<XLogX>({}, {t}) - apply<Choose>({}, {t, t * x, number(t, 0)}));
  }
  static std::vector<Sample> samples() { return {{{}, {{4}, {4}}, 0.1, 0.9}, {{}, {{2, 3}, {2, 3}}, 0.1, 1}}; }
};

}  // namespace espalier::op
