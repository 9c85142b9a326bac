// Ops between a call and the rows of its list. op/kernel/rows.h and logsumexp.h define them.
#pragma once
#include "exec/gpu/op/lines.h"
#include "op/kernel/rows.h"

namespace espalier {

template <>
struct WorkItems<op::Spread> : Elements<WorkItems<op::Spread>> {
  Rows<const float> x;
  Segments segments;
  explicit WorkItems(const OpLaunch<float>& l) : Elements(l), x(l.in[0]), segments(l.segments) {}
  ESPALIER_HOST_DEVICE float value(int64_t row, int64_t e) const { return x[call_of(segments, row)][e]; }
};

template <>
struct WorkItems<op::InverseCount> {
  Rows<float> y;
  Segments segments;
  explicit WorkItems(const OpLaunch<float>& l) : y(l.out), segments(l.segments) {}
  int64_t count() const { return segments.calls; }
  ESPALIER_HOST_DEVICE void operator()(int64_t call) const {
    const int64_t n = segments.end(call) - segments.begin(call);
    *y[call] = n > 1 ? 1 / static_cast<float>(n) : 1;
  }
};

// An item is a line: one element of all rows of a call.
struct Lists {
  Divisor size;
  Rows<const float> x;
  Rows<float> y;
  Segments segments;

  explicit Lists(const OpLaunch<float>& l)
      : size(l.kernel->out_shape.size()), x(l.in[0]), y(l.out), segments(l.segments) {}
  int64_t count() const { return segments.calls * size.value(); }

  ESPALIER_HOST_DEVICE int64_t call(int64_t item) const { return item / size; }
  ESPALIER_HOST_DEVICE int64_t element(int64_t item) const { return item % size; }
  ESPALIER_HOST_DEVICE int64_t length(int64_t item) const {
    return segments.end(call(item)) - segments.begin(call(item));
  }
  ESPALIER_HOST_DEVICE Line<const float> in(int64_t item) const {
    return {x[segments.begin(call(item))] + element(item), x.stride, length(item)};
  }
  ESPALIER_HOST_DEVICE Line<float> out(int64_t item) const {
    return {y[segments.begin(call(item))] + element(item), y.stride, length(item)};
  }
  ESPALIER_HOST_DEVICE float& reduced(int64_t item) const { return y[call(item)][element(item)]; }
};

struct ListsByGroup : Lists {
  using Lists::Lists;
  int64_t width() const { return 8; }  // a guess: only the device knows the lengths of lists
  bool interleaved() const { return size.value() > 4; }
};

template <>
struct WorkItems<op::SumRows> : SumOfEach<ListsByGroup> {
  using SumOfEach::SumOfEach;
};

// 0 without rows; cells that use it require at least one row.
template <>
struct WorkItems<op::MaxRows> : ListsByGroup {
  using ListsByGroup::ListsByGroup;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t item) const {
    const Line<const float> line = in(item);
    const float m = largest_of(group, line);
    if (group.rank() == 0) reduced(item) = line.n == 0 ? 0 : m;
  }
};

// 0 without rows, as above.
template <>
struct WorkItems<op::LogSumExpRows> : ListsByGroup {
  using ListsByGroup::ListsByGroup;
  template <class Group>
  ESPALIER_HOST_DEVICE void operator()(const Group& group, int64_t item) const {
    const Line<const float> line = in(item);
    const float sum = log_sum_exp_of(group, line);
    if (group.rank() == 0) reduced(item) = line.n == 0 ? 0 : sum;
  }
};

template <>
struct WorkItems<op::SoftmaxRows> : SoftmaxOfEach<ListsByGroup> {
  using SoftmaxOfEach::SoftmaxOfEach;
};

template <>
struct WorkItems<op::FirstMax> : FirstLargestOfEach<Lists> {
  using FirstLargestOfEach::FirstLargestOfEach;
};

}  // namespace espalier
