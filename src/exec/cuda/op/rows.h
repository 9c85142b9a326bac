// Ops between a call and the rows of its list. See op/kernel/rows.h and logsumexp.h for what each op means.
#pragma once
#include "exec/cuda/op/lines.h"
#include "op/kernel/rows.h"

namespace espalier {

template <>
struct Pieces<op::Spread> : Elements<Pieces<op::Spread>> {
  Rows<const float> x;
  Segments segments;
  explicit Pieces(const OpLaunch<float>& l) : Elements(l), x(l.in[0]), segments(l.segments) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return x[call_of(segments, row)][e]; }
};

template <>
struct Pieces<op::InverseCount> {
  Rows<float> y;
  Segments segments;
  explicit Pieces(const OpLaunch<float>& l) : y(l.out), segments(l.segments) {}
  int64_t count() const { return segments.calls; }
  ESPALIER_HOST_DEVICE void operator()(int64_t call) const {
    const int64_t n = segments.end(call) - segments.begin(call);
    *y[call] = n > 1 ? 1 / static_cast<float>(n) : 1;
  }
};

// A piece is one element of all rows of a call: a line.
struct Lists {
  Divisor size;
  Rows<const float> x;
  Rows<float> y;
  Segments segments;

  explicit Lists(const OpLaunch<float>& l)
      : size(l.kernel->out_shape.size()), x(l.in[0]), y(l.out), segments(l.segments) {}
  int64_t count() const { return segments.calls * size.value(); }

  ESPALIER_HOST_DEVICE int64_t call(int64_t piece) const { return piece / size; }
  ESPALIER_HOST_DEVICE int64_t element(int64_t piece) const { return piece % size; }
  ESPALIER_HOST_DEVICE int64_t length(int64_t piece) const {
    return segments.end(call(piece)) - segments.begin(call(piece));
  }
  ESPALIER_HOST_DEVICE Line<const float> in(int64_t piece) const {
    return {x[segments.begin(call(piece))] + element(piece), x.stride, length(piece)};
  }
  ESPALIER_HOST_DEVICE Line<float> out(int64_t piece) const {
    return {y[segments.begin(call(piece))] + element(piece), y.stride, length(piece)};
  }
  ESPALIER_HOST_DEVICE float& reduced(int64_t piece) const { return y[call(piece)][element(piece)]; }
};

struct ListsByTeam : Lists {
  using Lists::Lists;
  int64_t width() const { return 8; }  // a guess: how long lists are is known on the device alone
  bool interleaved() const { return size.value() > 4; }
};

template <>
struct Pieces<op::SumRows> : SumOfEach<ListsByTeam> {
  using SumOfEach::SumOfEach;
};

// Of no rows, 0: cells that take it ask for at least one row.
template <>
struct Pieces<op::MaxRows> : ListsByTeam {
  using ListsByTeam::ListsByTeam;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t piece) const {
    const Line<const float> line = in(piece);
    const float m = largest_of(team, line);
    if (team.rank() == 0) reduced(piece) = line.n == 0 ? 0 : m;
  }
};

// Of no rows, 0, as above.
template <>
struct Pieces<op::LogSumExpRows> : ListsByTeam {
  using ListsByTeam::ListsByTeam;
  template <class Team>
  ESPALIER_HOST_DEVICE void operator()(const Team& team, int64_t piece) const {
    const Line<const float> line = in(piece);
    const float sum = log_sum_exp_of(team, line);
    if (team.rank() == 0) reduced(piece) = line.n == 0 ? 0 : sum;
  }
};

template <>
struct Pieces<op::SoftmaxRows> : SoftmaxOfEach<ListsByTeam> {
  using SoftmaxOfEach::SoftmaxOfEach;
};

template <>
struct Pieces<op::FirstMax> : FirstLargestOfEach<Lists> {
  using FirstLargestOfEach::FirstLargestOfEach;
};

}  // namespace espalier
