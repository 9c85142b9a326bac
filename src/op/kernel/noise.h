// Random ops: an element is a function of (seed, epoch, example, call, site, element), never of the batch.
#pragma once
#include "op/composed.h"
#include "op/kernel/axis.h"

namespace espalier::op {

// Each row of `like` gets its own random row, of any shape; the values of `like` are not read.
struct MaskAttrs {
  float p = 0.5f;
  Shape shape{};
  int site = 0;
};
inline void check_probability(std::string_view name, float p) {
  if (!(p >= 0 && p < 1)) throw ShapeError(std::string(name) + ": p = " + std::to_string(p) + "; p must be in [0, 1)");
}
struct DropoutMask {
  using Attrs = MaskAttrs;
  static constexpr Doc doc{"dropout_mask",
                           "Zero with probability p, else 1 / (1 - p); all ones outside training. No gradient.",
                           "y = u < p ? 0 : 1 / (1 - p)"};
  static constexpr std::array<std::string_view, 3> attr_names{"p", "shape", "site"};
  static constexpr std::array inputs{Input{"like"}};
  static constexpr bool random = true;
  static Shape infer(const MaskAttrs& a, std::span<const Shape>) {
    check_probability("dropout_mask", a.p);
    return a.shape;
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0.5f, {8}, 0}), {{8}}}, {erase(Attrs{0.1f, {2, 3}, 1}), {{}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1, {3}, 0}), {{3}}, "dropout_mask: p = 1.000000; p must be in [0, 1)"}};
  }
};

struct DrawAttrs {
  Shape shape{};
  float a = 0, b = 1;
  bool always = true;  // false: zeros outside training
  int site = 0;
};
struct Draw {
  using Attrs = DrawAttrs;
  static constexpr std::array<std::string_view, 5> attr_names{"shape", "a", "b", "always", "site"};
  static constexpr std::array inputs{Input{"like"}};
  static constexpr bool random = true;
  static Shape infer(const DrawAttrs& a, std::span<const Shape>) { return a.shape; }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{{5}, 0.25f, 0.5f, true, 0}), {{}}}, {erase(Attrs{{2, 3}, 0.5f, 2, false, 0}), {{4}}}};
  }
  static std::vector<Reject> rejects() { return {}; }
};
struct RandomNormal : Draw {
  static constexpr Doc doc{"random_normal",
                           "Drawn from a normal distribution with mean a and standard deviation b. No gradient.",
                           "y ~ N(a, b²)"};
};
struct RandomUniform : Draw {
  static constexpr Doc doc{"random_uniform", "Drawn uniformly from [a, b). No gradient.", "y ~ U[a, b)"};
};
struct RandomBernoulli : Draw {
  static constexpr Doc doc{"random_bernoulli", "b with probability a, else zero. No gradient.", "y = u < a ? b : 0"};
};
struct RandomGumbel : Draw {
  static constexpr Doc doc{"random_gumbel",
                           "Drawn from a Gumbel distribution with location a and scale b. No gradient.",
                           "y = a - b log(-log u)"};
};

inline Term mask(Term like, float p, const Shape& shape) {
  return apply<DropoutMask>({p, shape, like.maker->site()}, {like});
}

struct ProbabilityAttrs {
  float p = 0.5f;
};
// Common base of the dropout ops.
template <class Self>
struct DropoutBase : Composed<ProbabilityAttrs> {
  static constexpr std::array<std::string_view, 1> attr_names{"p"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const ProbabilityAttrs& a, std::span<const Shape> in) {
    check_probability(Self::doc.name, a.p);
    return in[0];
  }
  static std::vector<Sample> samples() { return {{erase(Attrs{0.5f}), {{8}}}, {erase(Attrs{0.25f}), {{2, 3}}}}; }
};
struct Dropout : DropoutBase<Dropout> {
  static constexpr Doc doc{"dropout",
                           "In training, zeroes each element with probability p and scales the others by 1 / (1 - p).",
                           "y = x mask, E[mask] = 1"};
  static Term compose(const ProbabilityAttrs& a, std::span<const Term> in) {
    return in[0] * mask(in[0], a.p, in[0].shape());
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1}), {{3}}, "dropout: p = 1.000000; p must be in [0, 1)"},
            {erase(Attrs{-0.5f}), {{3}}, "dropout: p = -0.500000; p must be in [0, 1)"}};
  }
};
struct DropoutRow : DropoutBase<DropoutRow> {
  static constexpr Doc doc{"dropout_row",
                           "In training, zeroes the whole row with probability p, else scales it by 1 / (1 - p).",
                           "y = x mask, one draw for all of x"};
  static Term compose(const ProbabilityAttrs& a, std::span<const Term> in) { return in[0] * mask(in[0], a.p, {}); }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{2}), {{3}}, "dropout_row: p = 2.000000; p must be in [0, 1)"}};
  }
};

struct DropoutAxisAttrs {
  float p = 0.5f;
  int axis = 0;
};
struct DropoutAxis : Composed<DropoutAxisAttrs> {
  static constexpr Doc doc{"dropout_axis", "Dropout with a mask shared along one axis.",
                           "y = x mask, mask the same along the axis"};
  static constexpr std::array<std::string_view, 2> attr_names{"p", "axis"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const Attrs& a, std::span<const Shape> in) {
    check_probability("dropout_axis", a.p);
    check_axis("dropout_axis", a.axis, in[0]);
    return in[0];
  }
  static Term compose(const Attrs& a, std::span<const Term> in) {
    const Shape x = in[0].shape();
    return in[0] * apply<Broadcast>({a.axis, x[a.axis]}, {mask(in[0], a.p, without(x, a.axis))});
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0.5f, 0}), {{4, 3}}}, {erase(Attrs{0.25f, 1}), {{4, 3}}}, {erase(Attrs{0.5f, 0}), {{5}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0.5f, 1}), {{3}}, "dropout_axis: axis 1 of x[3]; the axis must be 0…0"}};
  }
};

struct DropoutBlockAttrs {
  float p = 0.5f;
  int size = 1;
};
struct DropoutBlock : Composed<DropoutBlockAttrs> {
  static constexpr Doc doc{"dropout_block", "Dropout with one draw per block of neighbouring elements.",
                           "y = x mask, mask the same within a block"};
  static constexpr std::array<std::string_view, 2> attr_names{"p", "size"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const Attrs& a, std::span<const Shape> in) {
    check_probability("dropout_block", a.p);
    if (a.size < 1 || in[0].size() % a.size != 0)
      throw ShapeError("dropout_block: x" + str(in[0]) + " in blocks of " + std::to_string(a.size) +
                       "; the number of elements must be a multiple of the block size");
    return in[0];
  }
  static Term compose(const Attrs& a, std::span<const Term> in) {
    const Shape x = in[0].shape();
    const Term blocks = mask(in[0], a.p, {axis_size("dropout_block", x.size() / a.size)});
    return in[0] * apply<Reshape>({x}, {apply<Broadcast>({1, a.size}, {blocks})});
  }
  static std::vector<Sample> samples() { return {{erase(Attrs{0.5f, 2}), {{6}}}, {erase(Attrs{0.25f, 3}), {{2, 3}}}}; }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0.5f, 4}),
             {{6}},
             "dropout_block: x[6] in blocks of 4; the number of elements must be a multiple of the block size"}};
  }
};

struct DeviationAttrs {
  float sd = 1;
};
struct GaussianNoise : Composed<DeviationAttrs> {
  static constexpr Doc doc{"gaussian_noise", "In training, adds Gaussian noise with standard deviation sd.",
                           "y = x + e, e ~ N(0, sd²)"};
  static constexpr std::array<std::string_view, 1> attr_names{"sd"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const Attrs& a, std::span<const Shape> in) {
    if (!(a.sd >= 0)) throw ShapeError("gaussian_noise: sd = " + std::to_string(a.sd) + "; sd must not be negative");
    return in[0];
  }
  static Term compose(const Attrs& a, std::span<const Term> in) {
    return in[0] + apply<RandomNormal>({in[0].shape(), 0, a.sd, false, in[0].maker->site()}, {in[0]});
  }
  static std::vector<Sample> samples() { return {{erase(Attrs{0.5f}), {{5}}}, {erase(Attrs{0.25f}), {{2, 3}}}}; }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{-1}), {{3}}, "gaussian_noise: sd = -1.000000; sd must not be negative"}};
  }
};

}  // namespace espalier::op
