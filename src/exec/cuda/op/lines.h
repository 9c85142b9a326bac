// Reductions, softmax and its kin along one axis: a piece is a line of elements. See op/kernel/axis.h, extrema.h,
// cumulative.h and logsumexp.h for what each op means.
#pragma once
#include <cmath>
#include <limits>

#include "exec/cuda/op/pieces.h"
#include "exec/plain/axis.h"
#include "op/kernel/cumulative.h"
#include "op/kernel/extrema.h"
#include "op/kernel/logsumexp.h"

namespace espalier {

// A line, shared by a team: element k belongs to thread k modulo the team's size.
template <class T>
struct Line {
  T* data;
  int64_t step, n;
  ESPALIER_HOST_DEVICE T& operator[](int64_t k) const { return data[k * step]; }
};

template <class Team, class F>
ESPALIER_HOST_DEVICE float sum_of(const Team& team, int64_t n, F term) {
  float sum = 0;
  for (int64_t k = team.rank(); k < n;) {
    float block = 0;
    for (int64_t terms = 0; terms < sum_block && k < n; ++terms, k += team.size()) block += term(k);
    sum += block;
  }
  return team.sum(sum);
}

template <class Team>
ESPALIER_HOST_DEVICE float largest_of(const Team& team, const Line<const float>& x) {
  float m = -std::numeric_limits<float>::infinity();
  for (int64_t k = team.rank(); k < x.n; k += team.size()) m = larger(m, x[k]);
  return team.largest(m);
}

// log Σ exp(x), without overflow; of nothing, -inf.
template <class Team>
ESPALIER_HOST_DEVICE float log_sum_exp_of(const Team& team, const Line<const float>& x) {
  const float m = largest_of(team, x);
  if (std::isinf(m)) return m;
  return m + std::log(sum_of(team, x.n, [&](int64_t k) { return std::exp(x[k] - m); }));
}

// Of -inf alone, zeros: nothing has a share of nothing.
template <class Team>
ESPALIER_HOST_DEVICE void softmax_of(const Team& team, const Line<const float>& x, const Line<float>& y) {
  const float m = largest_of(team, x);
  if (m == -std::numeric_limits<float>::infinity()) {
    for (int64_t k = team.rank(); k < x.n; k += team.size()) y[k] = 0;
    return;
  }
  const float sum = sum_of(team, x.n, [&](int64_t k) { return y[k] = std::exp(x[k] - m); });
  for (int64_t k = team.rank(); k < x.n; k += team.size()) y[k] /= sum;
}

// The lines of all rows.
struct Lines {
  int64_t rows;
  AxisOf a;
  Divisor by_lines, by_inner;  // of a row
  Rows<const float> x;
  Rows<float> y;

  explicit Lines(const OpLaunch<float>& l)
      : Lines(l, {l.kernel->in_shapes[0], unerase<op::AxisAttrs>(l.kernel->attrs).axis}) {}
  Lines(const OpLaunch<float>& l, const AxisOf& axis)
      : rows(l.rows), a(axis), by_lines(a.outer * a.inner), by_inner(a.inner), x(l.in[0]), y(l.out) {}
  int64_t count() const { return rows * by_lines.value(); }

  ESPALIER_HOST_DEVICE int64_t row(int64_t piece) const { return piece / by_lines; }
  ESPALIER_HOST_DEVICE int64_t within(int64_t piece) const { return piece % by_lines; }
  ESPALIER_HOST_DEVICE int64_t first(int64_t piece) const {
    const int64_t line = within(piece);
    return a.at(line / by_inner, 0, line % by_inner);
  }
  ESPALIER_HOST_DEVICE Line<const float> in(int64_t piece) const {
    return {x[row(piece)] + first(piece), a.inner, a.n};
  }
  ESPALIER_HOST_DEVICE Line<float> out(int64_t piece) const { return {y[row(piece)] + first(piece), a.inner, a.n}; }
  ESPALIER_HOST_DEVICE float& reduced(int64_t piece) const { return y[row(piece)][within(piece)]; }
};

// Along the last axis, or nearly, neighbours are the elements of a line; along any other, they are the lines.
struct LinesByTeam : Lines {
  using Lines::Lines;
  int64_t width() const { return a.n; }
  bool interleaved() const { return a.inner > 4; }
};

// Each row is one line.
struct RowsByTeam : LinesByTeam {
  explicit RowsByTeam(const OpLaunch<float>& l) : LinesByTeam(l, whole(l.kernel->in_shapes[0])) {}

 private:
  static AxisOf whole(const Shape& shape) {
    AxisOf a({}, 0);
    a.n = shape.size();
    return a;
  }
};

// What is made of lines, whether they lie along an axis, are rows, or run through the rows of a list (rows.h).
template <class AllLines>
struct SumOfEach : AllLines {
  using AllLines::AllLines;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t piece) const {
    const Line<const float> line = this->in(piece);
    const float sum = sum_of(team, line.n, [&](int64_t k) { return line[k]; });
    if (team.rank() == 0) this->reduced(piece) = sum;
  }
};
template <class AllLines>
struct SoftmaxOfEach : AllLines {
  using AllLines::AllLines;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t piece) const {
    softmax_of(team, this->in(piece), this->out(piece));
  }
};
// 1 at the first largest, else 0.
template <class AllLines>
struct FirstLargestOfEach : AllLines {
  using AllLines::AllLines;
  ESPALIER_HOST_DEVICE void operator()(int64_t piece) const {
    const Line<const float> from = this->in(piece);
    const Line<float> to = this->out(piece);
    int64_t best = 0;
    for (int64_t k = 1; k < from.n; ++k)
      if (from[best] < from[k]) best = k;
    for (int64_t k = 0; k < from.n; ++k) to[k] = k == best ? 1 : 0;
  }
};

template <>
struct Pieces<op::SumAxis> : SumOfEach<LinesByTeam> {
  using SumOfEach::SumOfEach;
};

template <>
struct Pieces<op::SumElements> : SumOfEach<RowsByTeam> {
  using SumOfEach::SumOfEach;
};

template <>
struct Pieces<op::MaxAxis> : LinesByTeam {
  using LinesByTeam::LinesByTeam;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t piece) const {
    const float m = largest_of(team, in(piece));
    if (team.rank() == 0) reduced(piece) = m;
  }
};

template <>
struct Pieces<op::LogSumExp> : LinesByTeam {
  using LinesByTeam::LinesByTeam;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t piece) const {
    const float sum = log_sum_exp_of(team, in(piece));
    if (team.rank() == 0) reduced(piece) = sum;
  }
};

template <>
struct Pieces<op::Softmax> : SoftmaxOfEach<LinesByTeam> {
  using SoftmaxOfEach::SoftmaxOfEach;
};

template <>
struct Pieces<op::LogSoftmax> : LinesByTeam {
  using LinesByTeam::LinesByTeam;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t piece) const {
    const Line<const float> from = in(piece);
    const Line<float> to = out(piece);
    const float sum = log_sum_exp_of(team, from);
    for (int64_t k = team.rank(); k < from.n; k += team.size()) to[k] = from[k] - sum;
  }
};

template <>
struct Pieces<op::ArgmaxOneHot> : FirstLargestOfEach<Lines> {
  using FirstLargestOfEach::FirstLargestOfEach;
};

template <>
struct Pieces<op::Cumsum> : Lines {
  bool reverse;
  explicit Pieces(const OpLaunch<float>& l)
      : Lines(l, {l.kernel->in_shapes[0], unerase<op::CumsumAttrs>(l.kernel->attrs).axis}),
        reverse(unerase<op::CumsumAttrs>(l.kernel->attrs).reverse) {}
  ESPALIER_HOST_DEVICE void operator()(int64_t piece) const {
    const Line<const float> from = in(piece);
    const Line<float> to = out(piece);
    double sum = 0;
    for (int64_t j = 0; j < from.n; ++j) {
      const int64_t k = reverse ? from.n - 1 - j : j;
      to[k] = static_cast<float>(sum += static_cast<double>(from[k]));
    }
  }
};

}  // namespace espalier
