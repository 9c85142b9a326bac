// Ops along one axis of a row: reductions, broadcast, softmax, concat, slice, pad; and changes of shape.
#pragma once
#include <limits>

#include "op/elementwise.h"

namespace espalier::op {

struct AxisAttrs {
  int axis = 0;
};

inline void check_axis(std::string_view name, int axis, const Shape& x) {
  if (x.rank == 0) throw ShapeError(std::string(name) + ": x[] is a scalar; x must have at least one axis");
  if (axis < 0 || axis >= x.rank)
    throw ShapeError(std::string(name) + ": axis " + std::to_string(axis) + " of x" + str(x) + "; the axis must be 0…" +
                     std::to_string(x.rank - 1));
}
inline Shape without(const Shape& x, int axis) {
  Shape y = x;
  for (int i = axis; i + 1 < x.rank; ++i) y.dims[static_cast<size_t>(i)] = x[i + 1];
  y.dims[static_cast<size_t>(--y.rank)] = 0;
  return y;
}
inline Shape with(const Shape& x, int axis, int n) {
  std::array<int, Shape::max_rank + 1> dims{};
  for (int i = 0, k = 0; i <= x.rank; ++i) dims.at(static_cast<size_t>(i)) = i == axis ? n : x[k++];
  return Shape::of(dims.data(), x.rank + 1);
}
inline Shape resized(Shape x, int axis, int n) {
  x.dims[static_cast<size_t>(axis)] = n;
  return Shape::of(x.dims.data(), x.rank);
}
// Narrows a computed axis size to int.
inline int axis_size(std::string_view name, int64_t n) {
  if (n > std::numeric_limits<int>::max())
    throw ShapeError(std::string(name) + ": an axis of " + std::to_string(n) +
                     " elements; an axis has at most 2147483647");
  return static_cast<int>(n);
}

// Common base of the ops along one axis.
template <class Self>
struct AlongAxis {
  using Attrs = AxisAttrs;
  static constexpr std::array<std::string_view, 1> attr_names{"axis"};
  static constexpr std::array inputs{Input{"x"}};
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0}), {{4}}}, {erase(Attrs{0}), {{2, 3}}}, {erase(Attrs{1}), {{2, 3}}}};
  }
};

struct BroadcastAttrs {
  int axis = 0, n = 1;
};

struct SumAxis : AlongAxis<SumAxis> {
  static constexpr Doc doc{"sum_axis", "Sum over one axis, which is removed.", "y = Σ_axis x"};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_axis("sum_axis", a.axis, in[0]);
    return without(in[0], a.axis);
  }
  static void gradient(const AxisAttrs& a, Adjoint& g);
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{2}), {{2, 3}}, "sum_axis: axis 2 of x[2,3]; the axis must be 0…1"}};
  }
};

struct Broadcast {
  using Attrs = BroadcastAttrs;
  static constexpr Doc doc{"broadcast", "Repeats x n times along a new axis.", "y[.., i, ..] = x[.., ..]"};
  static constexpr std::array<std::string_view, 2> attr_names{"axis", "n"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const BroadcastAttrs& a, std::span<const Shape> in) {
    if (a.axis < 0 || a.axis > in[0].rank || a.n < 1)
      throw ShapeError("broadcast: axis " + std::to_string(a.axis) + ", n " + std::to_string(a.n) + " of x" +
                       str(in[0]) + "; the axis must be 0…" + std::to_string(in[0].rank) + " and n at least 1");
    return with(in[0], a.axis, a.n);
  }
  static void gradient(const BroadcastAttrs& a, Adjoint& g) { g.add(0, apply<SumAxis>({a.axis}, {g.dy()})); }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0, 3}), {{4}}}, {erase(Attrs{1, 2}), {{4}}}, {erase(Attrs{0, 3}), {{}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{2, 3}), {{4}}, "broadcast: axis 2, n 3 of x[4]; the axis must be 0…1 and n at least 1"}};
  }
};
inline void SumAxis::gradient(const AxisAttrs& a, Adjoint& g) {
  g.add(0, apply<Broadcast>({a.axis, g.in(0).shape()[a.axis]}, {g.dy()}));
}

struct SumElements {
  using Attrs = NoAttrs;
  static constexpr Doc doc{"sum_elements", "Sum of all elements of a row.", "y = Σ x"};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const NoAttrs&, std::span<const Shape>) { return {}; }
  static void gradient(const NoAttrs&, Adjoint& g) {
    const Term ones{g.dy().maker, g.dy().maker->make(info<Full>(), erase(FullAttrs{g.in(0).shape(), 1}), {})};
    g.add(0, g.dy() * ones);
  }
  static std::vector<Sample> samples() { return {{{}, {{4}}}, {{}, {{2, 3}}}, {{}, {{}}}}; }
  static std::vector<Reject> rejects() { return {}; }
};

struct Softmax : AlongAxis<Softmax> {
  static constexpr Doc doc{"softmax", "Softmax over one axis; zeros if all elements are -inf.",
                           "y = exp(x) / Σ_axis exp(x)"};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_axis("softmax", a.axis, in[0]);
    return in[0];
  }
  static void gradient(const AxisAttrs& a, Adjoint& g) {
    const Term y = g.out(), weighted = apply<SumAxis>(a, {y * g.dy()});
    g.add(0, y * (g.dy() - apply<Broadcast>({a.axis, y.shape()[a.axis]}, {weighted})));
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{1}), {{4}}, "softmax: axis 1 of x[4]; the axis must be 0…0"}};
  }
};

struct LogSoftmax : AlongAxis<LogSoftmax> {
  static constexpr Doc doc{"log_softmax", "Logarithm of softmax over one axis.", "y = x - log Σ_axis exp(x)"};
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    check_axis("log_softmax", a.axis, in[0]);
    return in[0];
  }
  static void gradient(const AxisAttrs& a, Adjoint& g) {
    const Term total = apply<SumAxis>(a, {g.dy()});
    g.add(0, g.dy() - apply<Softmax>(a, {g.in(0)}) * apply<Broadcast>({a.axis, g.in(0).shape()[a.axis]}, {total}));
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{-1}), {{4}}, "log_softmax: axis -1 of x[4]; the axis must be 0…0"}};
  }
};

struct SliceAttrs {
  int begin = 0, end = 0, axis = 0;
};
struct PadAttrs {
  int before = 0, after = 0, axis = 0;
};
struct Pad {
  using Attrs = PadAttrs;
  static constexpr Doc doc{"pad", "Adds zeros before and after x along one axis.", "y = [0, x, 0]"};
  static constexpr std::array<std::string_view, 3> attr_names{"before", "after", "axis"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const PadAttrs& a, std::span<const Shape> in) {
    check_axis("pad", a.axis, in[0]);
    if (a.before < 0 || a.after < 0)
      throw ShapeError("pad: " + std::to_string(a.before) + " before and " + std::to_string(a.after) + " after x" +
                       str(in[0]) + "; neither may be negative");
    return resized(in[0], a.axis, axis_size("pad", int64_t{in[0][a.axis]} + a.before + a.after));
  }
  static void gradient(const PadAttrs& a, Adjoint& g);
  static std::vector<Sample> samples() { return {{erase(Attrs{1, 2, 0}), {{3}}}, {erase(Attrs{0, 1, 1}), {{2, 3}}}}; }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{-1, 0, 0}), {{3}}, "pad: -1 before and 0 after x[3]; neither may be negative"}};
  }
};
struct Slice {
  using Attrs = SliceAttrs;
  static constexpr Doc doc{"slice", "A range of elements along one axis.", "y = x[begin … end)"};
  static constexpr bool takes_shared = true;
  static constexpr std::array<std::string_view, 3> attr_names{"begin", "end", "axis"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const SliceAttrs& a, std::span<const Shape> in) {
    check_axis("slice", a.axis, in[0]);
    if (a.begin < 0 || a.end <= a.begin || a.end > in[0][a.axis])
      throw ShapeError("slice: [" + std::to_string(a.begin) + "," + std::to_string(a.end) + ") of x" + str(in[0]) +
                       " along axis " + std::to_string(a.axis) + "; it must be within 0…" +
                       std::to_string(in[0][a.axis]) + " and not empty");
    return resized(in[0], a.axis, a.end - a.begin);
  }
  static void gradient(const SliceAttrs& a, Adjoint& g) {
    g.add(0, apply<Pad>({a.begin, g.in(0).shape()[a.axis] - a.end, a.axis}, {g.dy()}));
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{1, 3, 0}), {{5}}}, {erase(Attrs{0, 2, 1}), {{2, 3}}}, {erase(Attrs{1, 2, 0}), {{2, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{2, 6, 0}), {{5}}, "slice: [2,6) of x[5] along axis 0; it must be within 0…5 and not empty"},
            {erase(Attrs{2, 2, 0}), {{5}}, "slice: [2,2) of x[5] along axis 0; it must be within 0…5 and not empty"}};
  }
};
inline void Pad::gradient(const PadAttrs& a, Adjoint& g) {
  g.add(0, apply<Slice>({a.before, a.before + g.in(0).shape()[a.axis], a.axis}, {g.dy()}));
}

struct Concat {
  using Attrs = AxisAttrs;
  static constexpr Doc doc{"concat", "Concatenates rows along one axis.", "y = [x₀, x₁, …]"};
  static constexpr std::array<std::string_view, 1> attr_names{"axis"};
  static constexpr std::array inputs{Input{"x"}};
  static constexpr bool many = true;
  static Shape infer(const AxisAttrs& a, std::span<const Shape> in) {
    if (in.empty()) throw ShapeError("concat: nothing is given; at least one row is needed");
    check_axis("concat", a.axis, in[0]);
    int64_t n = 0;
    for (const Shape& s : in) {
      if (s.rank != in[0].rank || resized(s, a.axis, 0) != resized(in[0], a.axis, 0))
        throw ShapeError("concat: x" + str(in[0]) + " and x" + str(s) + " differ in an axis other than " +
                         std::to_string(a.axis) + "; only that axis may differ");
      n += s[a.axis];
    }
    return resized(in[0], a.axis, axis_size("concat", n));
  }
  static void gradient(const AxisAttrs& a, Adjoint& g) {
    int at = 0;
    for (int i = 0; i < g.count(); ++i) {
      const int n = g.in(i).shape()[a.axis];
      if (g.wants(i)) g.add(i, apply<Slice>({at, at + n, a.axis}, {g.dy()}));
      at += n;
    }
  }
  static std::vector<Sample> samples() {
    return {{erase(Attrs{0}), {{2}, {3}}},
            {erase(Attrs{1}), {{2, 3}, {2, 1}, {2, 2}}},
            {erase(Attrs{0}), {{1, 3}, {2, 3}}}};
  }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{0}),
             {{2, 3}, {2, 4}},
             "concat: x[2,3] and x[2,4] differ in an axis other than 0; only that axis may differ"},
            {erase(Attrs{0}), {}, "concat: nothing is given; at least one row is needed"}};
  }
};

struct ShapeAttrs {
  Shape shape{};
};
struct Reshape {
  using Attrs = ShapeAttrs;
  static constexpr Doc doc{"reshape", "The same elements in another shape.", "y = x"};
  static constexpr std::array<std::string_view, 1> attr_names{"shape"};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const ShapeAttrs& a, std::span<const Shape> in) {
    if (a.shape.size() != in[0].size())
      throw ShapeError("reshape: x" + str(in[0]) + " to " + str(a.shape) +
                       "; both must have the same number of elements");
    return a.shape;
  }
  static void gradient(const ShapeAttrs&, Adjoint& g) { g.add(0, apply<Reshape>({g.in(0).shape()}, {g.dy()})); }
  static std::vector<Sample> samples() { return {{erase(Attrs{{2, 3}}), {{6}}}, {erase(Attrs{{}}), {{1, 1}}}}; }
  static std::vector<Reject> rejects() {
    return {{erase(Attrs{{2, 3}}), {{5}}, "reshape: x[5] to [2,3]; both must have the same number of elements"}};
  }
};

struct Transpose {
  using Attrs = NoAttrs;
  static constexpr Doc doc{"transpose", "Transposes one matrix per row.", "y[i,j] = x[j,i]"};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array inputs{Input{"x"}};
  static Shape infer(const NoAttrs&, std::span<const Shape> in) {
    if (in[0].rank != 2) throw ShapeError("transpose: x" + str(in[0]) + "; x must be a matrix");
    return {in[0][1], in[0][0]};
  }
  static void gradient(const NoAttrs&, Adjoint& g) { g.add(0, apply<Transpose>({}, {g.dy()})); }
  static std::vector<Sample> samples() { return {{{}, {{2, 3}}}, {{}, {{4, 1}}}}; }
  static std::vector<Reject> rejects() { return {{{}, {{4}}, "transpose: x[4]; x must be a matrix"}}; }
};

}  // namespace espalier::op
