// Selection and reordering of elements along an axis: permute, stack, strided slices, the k largest.
#pragma once
#include <cstdlib>
#include <utility>

#include "op/composed.h"
#include "op/kernel/extrema.h"

namespace espalier::op {

struct PermuteAttrs {
  Shape order{};  // axis i of the result is axis order[i] of x
};
struct Permute {
  using Attrs = PermuteAttrs;
  static constexpr Doc doc{"permute", "Permutes the axes.", "y[i_order[0], i_order[1], …] = x[i₀, i₁, …]"};
  static constexpr std::array<std::string_view, 1> attr_names{"order"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const PermuteAttrs& a, std::span<const Shape> in) {
    const Shape& x = in[0];
    Shape y = x;
    std::array<bool, Shape::max_rank> seen{};
    bool fits = a.order.rank == x.rank;
    for (int i = 0; fits && i < x.rank; ++i) {
      const size_t from = static_cast<size_t>(a.order[i]);
      fits = a.order[i] < x.rank && !std::exchange(seen[from], true);
      if (fits) y.dims[static_cast<size_t>(i)] = x.dims[from];
    }
    if (!fits)
      throw ShapeError("permute: order " + str(a.order) + " of x" + str(x) + "; it must name each axis of x once");
    return y;
  }
  static void gradient(const PermuteAttrs& a, Adjoint& g) {
    Shape inverse = a.order;
    for (int i = 0; i < a.order.rank; ++i) inverse.dims[static_cast<size_t>(a.order[i])] = i;
    g.add(0, apply<Permute>({inverse}, {g.dy()}));
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{{1, 0}}), {{2, 3}}},
            {erase(Attrs{{2, 0, 1}}), {{2, 3, 4}}},
            {erase(Attrs{{1, 0, 3, 2}}), {{2, 1, 3, 2}}},
            {erase(Attrs{{}}), {{}}},
            {erase(Attrs{{0}}), {{3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{{0, 0}}), {{2, 3}}, "permute: order [0,0] of x[2,3]; it must name each axis of x once"},
            {erase(Attrs{{0, 2}}), {{2, 3}}, "permute: order [0,2] of x[2,3]; it must name each axis of x once"},
            {erase(Attrs{{0}}), {{2, 3}}, "permute: order [0] of x[2,3]; it must name each axis of x once"}};
  }
};

struct Stack : Composed<AxisAttrs> {
  static constexpr Doc doc{"stack", "Stacks rows of equal shape along a new axis.", "y[.., k, ..] = x_k"};
  static constexpr std::array<std::string_view, 1> attr_names{"axis"};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr bool many = true;
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    if (in.empty()) throw ShapeError("stack: nothing is given; at least one row is needed");
    for (const Shape& s : in)
      if (s != in[0])
        throw ShapeError("stack: x" + str(in[0]) + " and x" + str(s) + " differ; the shapes must be equal");
    if (a.axis < 0 || a.axis > in[0].rank)
      throw ShapeError("stack: axis " + std::to_string(a.axis) + " of x" + str(in[0]) + "; the axis must be 0…" +
                       std::to_string(in[0].rank));
    return with(in[0], a.axis, static_cast<int>(in.size()));
  }
  static Term compose(const AxisAttrs& a, std::span<const Term> in) {
    std::vector<Term> parts;
    for (Term x : in) parts.push_back(apply<Reshape>({with(x.shape(), a.axis, 1)}, {x}));
    return apply<Concat>(a, parts);
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0}), {{3}, {3}}},
            {erase(Attrs{1}), {{2}, {2}, {2}}},
            {erase(Attrs{0}), {{}, {}}},
            {erase(Attrs{1}), {{2, 3}, {2, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0}), {{2}, {3}}, "stack: x[2] and x[3] differ; the shapes must be equal"},
            {erase(Attrs{2}), {{2}, {2}}, "stack: axis 2 of x[2]; the axis must be 0…1"},
            {erase(Attrs{0}), {}, "stack: nothing is given; at least one row is needed"}};
  }
};

struct StridedAttrs {
  int begin = 0, end = 0, step = 1, axis = 0;  // with a negative step, end = -1 includes element 0
};
struct StridedPutAttrs {
  int begin = 0, step = 1, n = 1, axis = 0;
};
struct StridedPut {
  using Attrs = StridedPutAttrs;
  static constexpr Doc doc{"strided_put", "Zeros, except for x at every step-th position along one axis.",
                           "y[begin + k step] = x[k]"};
  static constexpr std::array<std::string_view, 4> attr_names{"begin", "step", "n", "axis"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const StridedPutAttrs& a, std::span<const Shape> in) {
    check_axis("strided_put", a.axis, in[0]);
    const int64_t last = a.begin + int64_t{a.step} * (in[0][a.axis] - 1);
    if (a.step == 0 || a.begin < 0 || a.begin >= a.n || last < 0 || last >= a.n)
      throw ShapeError("strided_put: x" + str(in[0]) + " along axis " + std::to_string(a.axis) + " from " +
                       std::to_string(a.begin) + " by " + std::to_string(a.step) + " into " + std::to_string(a.n) +
                       "; every position must be within it");
    return resized(in[0], a.axis, a.n);
  }
  static void gradient(const StridedPutAttrs& a, Adjoint& g);
  static std::vector<Sample> samples() {
    return {{erase(Attrs{1, 2, 6, 0}), {{3}}},
            {erase(Attrs{3, -1, 4, 1}), {{2, 4}}},
            {erase(Attrs{0, 3, 5, 1}), {{2, 2, 2}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1, 2, 5, 0}),
             {{3}},
             "strided_put: x[3] along axis 0 from 1 by 2 into 5; every position must be within it"}};
  }
};
struct StridedSlice {
  using Attrs = StridedAttrs;
  static constexpr Doc doc{"strided_slice", "Every step-th element along one axis; backwards if step is negative.",
                           "y[k] = x[begin + k step], up to end"};
  static constexpr std::array<std::string_view, 4> attr_names{"begin", "end", "step", "axis"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const StridedAttrs& a, std::span<const Shape> in) {
    check_axis("strided_slice", a.axis, in[0]);
    const int n = in[0][a.axis];
    const bool up = a.step > 0 && a.begin >= 0 && a.begin < a.end && a.end <= n,
               down = a.step < 0 && a.begin < n && a.begin > a.end && a.end >= -1;
    if (!up && !down)
      throw ShapeError("strided_slice: from " + std::to_string(a.begin) + " to " + std::to_string(a.end) + " by " +
                       std::to_string(a.step) + " of x" + str(in[0]) + " along axis " + std::to_string(a.axis) +
                       "; it must be within 0…" + std::to_string(n) + " and not empty");
    return resized(in[0], a.axis, 1 + (std::abs(a.end - a.begin) - 1) / std::abs(a.step));
  }
  static void gradient(const StridedAttrs& a, Adjoint& g) {
    g.add(0, apply<StridedPut>({a.begin, a.step, g.in(0).shape()[a.axis], a.axis}, {g.dy()}));
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{1, 6, 2, 0}), {{7}}},
            {erase(Attrs{0, 5, 3, 1}), {{2, 5, 2}}},
            {erase(Attrs{3, -1, -1, 1}), {{2, 4}}},
            {erase(Attrs{4, 0, -2, 0}), {{5, 2}}},
            {erase(Attrs{0, 1, 1, 0}), {{1}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0, 5, 2, 0}),
             {{4}},
             "strided_slice: from 0 to 5 by 2 of x[4] along axis 0; it must be within 0…4 and not empty"},
            {erase(Attrs{1, 3, 0, 0}),
             {{4}},
             "strided_slice: from 1 to 3 by 0 of x[4] along axis 0; it must be within 0…4 and not empty"},
            {erase(Attrs{1, 3, -1, 0}),
             {{4}},
             "strided_slice: from 1 to 3 by -1 of x[4] along axis 0; it must be within 0…4 and not empty"}};
  }
};
inline void StridedPut::gradient(const StridedPutAttrs& a, Adjoint& g) {
  const int last = a.begin + a.step * (g.in(0).shape()[a.axis] - 1);
  g.add(0, apply<StridedSlice>({a.begin, last + (a.step > 0 ? 1 : -1), a.step, a.axis}, {g.dy()}));
}

struct KmaxAttrs {
  int k = 1, axis = 0;
};
inline Shape kmax(std::string_view name, const KmaxAttrs& a, const Shape& x) {
  check_axis(name, a.axis, x);
  if (a.k < 1 || a.k > x[a.axis])
    throw ShapeError(std::string(name) + ": k = " + std::to_string(a.k) + " of x" + str(x) + " along axis " +
                     std::to_string(a.axis) + "; k must be 1…" + std::to_string(x[a.axis]));
  return resized(x, a.axis, a.k);
}
struct KmaxGradient {
  using Attrs = KmaxAttrs;
  static constexpr Doc doc{"kmax_gradient",
                           "Gradient of kmax_pooling with respect to x: dy at the k largest elements. No gradient.",
                           "y[i_k] = dy[k], else 0"};
  static constexpr std::array<std::string_view, 2> attr_names{"k", "axis"};
  static constexpr std::array inputs{Input{"x"}, Input{"dy"}};
  static Shape infer(const KmaxAttrs& a, std::span<const Shape> in) {
    if (const Shape y = kmax("kmax_gradient", a, in[0]); in[1] != y)
      throw ShapeError("kmax_gradient: dy" + str(in[1]) + " of x" + str(in[0]) + "; dy must be " + str(y));
    return in[0];
  }
  static double flops(const KmaxAttrs& a, std::span<const Shape> in, const Shape&) {
    return static_cast<double>(in[0].size()) * a.k;
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{2, 0}), {{5}, {2}}}, {erase(Attrs{3, 1}), {{2, 4}, {2, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{2, 0}), {{5}, {3}}, "kmax_gradient: dy[3] of x[5]; dy must be [2]"}};
  }
};
struct KmaxPooling {
  using Attrs = KmaxAttrs;
  static constexpr Doc doc{"kmax_pooling",
                           "The k largest elements along one axis, in their original order; ties go to the first.",
                           "y = x[i₁ < … < i_k], the k largest"};
  static constexpr std::array<std::string_view, 2> attr_names{"k", "axis"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const KmaxAttrs& a, std::span<const Shape> in) { return kmax("kmax_pooling", a, in[0]); }
  static void gradient(const KmaxAttrs& a, Adjoint& g) { g.add(0, apply<KmaxGradient>(a, {g.in(0), g.dy()})); }
  static double flops(const KmaxAttrs& a, std::span<const Shape> in, const Shape&) {
    return static_cast<double>(in[0].size()) * a.k;
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{1, 0}), {{4}}},
            {erase(Attrs{3, 0}), {{3}}},
            {erase(Attrs{2, 1}), {{2, 5}}},
            {erase(Attrs{2, 1}), {{2, 4, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0, 0}), {{4}}, "kmax_pooling: k = 0 of x[4] along axis 0; k must be 1…4"},
            {erase(Attrs{5, 0}), {{4}}, "kmax_pooling: k = 5 of x[4] along axis 0; k must be 1…4"}};
  }
};

}  // namespace espalier::op
