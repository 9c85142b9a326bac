// An op on a GPU as independent work items, each done by one thread or by a group of threads. WorkItems are plain data,
// made from a launch on the host. They compile for host and device, so that machines without a GPU can test them. This
// folder must not include CUDA headers.
#pragma once
#include "base/host_device.h"
#include "cell/program.h"
#include "exec/gpu/op/divisor.h"
#include "exec/launch.h"

namespace espalier {

// Specialised for each op in a file of this folder. It has count(), the number of items, and one of
//   operator()(int64_t item)                by one thread
//   operator()(const Group&, int64_t item)   by a group
//   operator()(const Group&, int64_t item, double* scratch)   by a group with scratch() doubles of memory
// and for groups width(), the number of threads with work in an item, and interleaved(), whether neighbours in memory
// belong to different items.
template <class Op>
struct WorkItems;

template <class P>
concept ByGroup = requires(const P& p) { p.width(); };
template <class P>
concept WithScratch = requires(const P& p) { p.scratch(); };

// Calls f(items) for each set of items of an op: one per input for ops of many inputs, otherwise one.
template <class Op, class F>
void for_each_lot(const OpLaunch<float>& l, F f) {
  if constexpr (requires { Op::many; })
    for (size_t k = 0; k < l.in.size(); ++k) f(WorkItems<Op>(l, k));
  else
    f(WorkItems<Op>(l));
}

// The group of one thread. Every group has the rank of a thread and the size of the group, sums and maxima over the
// values of all threads in a fixed order, and a barrier. All threads of a group must make the same calls.
struct Alone {
  ESPALIER_HOST_DEVICE int rank() const { return 0; }
  ESPALIER_HOST_DEVICE int size() const { return 1; }
  template <class T>
  ESPALIER_HOST_DEVICE T sum(T value) const {
    return value;
  }
  ESPALIER_HOST_DEVICE float largest(float value) const { return value; }
  ESPALIER_HOST_DEVICE void wait() const {}
};

// The maximum; NaN if either is NaN, so that all threads of a group get the same result.
ESPALIER_HOST_DEVICE inline float larger(float a, float b) { return a < b || b != b ? b : a; }

// The call whose list contains the row.
ESPALIER_HOST_DEVICE inline int64_t call_of(const Segments& s, int64_t row) {
  int64_t low = 0, high = s.calls;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (s.begin(middle) <= row ? low : high) = middle;
  }
  return low;
}

// The integer of a row: that of its call, or the literal.
struct IndexOf {
  const int32_t* index;
  int32_t literal;
  bool list;  // the op runs over rows of lists; integers are still per call
  Segments segments;

  explicit IndexOf(const OpLaunch<float>& l)
      : index(l.index), literal(l.kernel->literal), list(l.kernel->space > call_space), segments(l.segments) {}
  ESPALIER_HOST_DEVICE int64_t operator[](int64_t row) const {
    return literal >= 0 ? literal : index[list ? call_of(segments, row) : row];
  }
};

// The common part of ops whose items are the elements of the result: Self::value(row, element) computes one.
template <class Self>
struct Elements {
  int64_t rows;
  Divisor size;
  Rows<float> y;

  explicit Elements(const OpLaunch<float>& l) : rows(l.rows), size(l.kernel->out_shape.size()), y(l.out) {}
  int64_t count() const { return rows * size.value(); }
  ESPALIER_HOST_DEVICE void operator()(int64_t item) const {
    const int64_t row = item / size, e = item % size;
    y[row][e] = static_cast<const Self&>(*this).value(row, e);
  }
};

}  // namespace espalier
