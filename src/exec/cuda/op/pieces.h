// An op on CUDA as independent pieces of work, each done by one thread or by a team of threads. Pieces are plain data,
// unpacked from a launch on the host, and compile for host and device alike: what a device will do is tested on
// machines that have none. Nothing here may know CUDA's headers.
#pragma once
#include "base/host_device.h"
#include "cell/program.h"
#include "exec/cuda/op/divisor.h"
#include "exec/launch.h"

namespace espalier {

// Specialised for each op in the file named as in exec/plain. It has count(), the number of pieces, and one of
//   operator()(int64_t piece)                done by a thread
//   operator()(const Team&, int64_t piece)   done by a team
//   operator()(const Team&, int64_t piece, double* scratch)   the same, with scratch() numbers of memory of its own
// and for teams width(), how many threads have work in a piece, and interleaved(), whether neighbours in memory are of
// different pieces.
template <class Op>
struct Pieces;

template <class P>
concept ByTeam = requires(const P& p) { p.width(); };
template <class P>
concept WithScratch = requires(const P& p) { p.scratch(); };

// f(pieces) for all that an op consists of: of concat, the pieces of each input; else there is one lot.
template <class Op, class F>
void for_each_lot(const OpLaunch<float>& l, F f) {
  if constexpr (requires { Op::many; })
    for (size_t k = 0; k < l.in.size(); ++k) f(Pieces<Op>(l, k));
  else
    f(Pieces<Op>(l));
}

// The team of one thread. Every team has these: what a thread's number is and how many there are; sums and maxima over
// what each thread has, in an order that is always the same; and a wait until all have written what others read. All
// threads of a team must come to the same calls.
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

// The larger one; NaN where either is, so that all threads of a team agree on it.
ESPALIER_HOST_DEVICE inline float larger(float a, float b) { return a < b || b != b ? b : a; }

// The call whose list holds the row.
ESPALIER_HOST_DEVICE inline int64_t call_of(const Segments& s, int64_t row) {
  int64_t low = 0, high = s.calls;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (s.begin(middle) <= row ? low : high) = middle;
  }
  return low;
}

// The integer of a row: that of its call, or one for all.
struct IndexOf {
  const int32_t* index;
  int32_t literal;
  bool list;  // rows of lists, beside integers of calls
  Segments segments;

  explicit IndexOf(const OpLaunch<float>& l)
      : index(l.index), literal(l.kernel->literal), list(l.kernel->space > call_space), segments(l.segments) {}
  ESPALIER_HOST_DEVICE int64_t operator[](int64_t row) const {
    return literal >= 0 ? literal : index[list ? call_of(segments, row) : row];
  }
};

// What ops share whose pieces are the elements of the result: Self::value(row, element) is one.
template <class Self>
struct Elements {
  int64_t rows;
  Divisor size;
  Rows<float> y;

  explicit Elements(const OpLaunch<float>& l) : rows(l.rows), size(l.kernel->out_shape.size()), y(l.out) {}
  int64_t count() const { return rows * size.value(); }
  ESPALIER_HOST_DEVICE void operator()(int64_t piece) const {
    const int64_t row = piece / size, e = piece % size;
    y[row][e] = static_cast<const Self&>(*this).value(row, e);
  }
};

}  // namespace espalier
