// The interface of kernels. A kernel processes all rows of a launch and knows neither graphs nor plans. It never
// throws, and its result is already allocated.
#pragma once
#include <cstdint>
#include <span>

#include "base/host_device.h"
#include "cell/code.h"

namespace espalier {

// A float sum in a host kernel or a GPU work item adds only about this many terms in sequence. A longer sum is a sum of
// such blocks, in order, so that it does not saturate at 2^24 times its terms. Host sums that are not held in vector
// registers are in double. Gathers and table sums on a GPU have no blocks: they add all rows in sequence.
constexpr int64_t sum_block = 4096;

// Row i starts at data + i * stride. Stride 0: all rows are the same (a parameter).
template <class T>
struct Rows {
  T* data = nullptr;
  int64_t stride = 0;
  ESPALIER_HOST_DEVICE T* operator[](int64_t i) const { return data + i * stride; }
};

// The rows of a variadic group: call c has rows offsets[c] to offsets[c+1] - 1, relative to offsets[0].
struct Segments {
  const uint32_t* offsets = nullptr;  // calls + 1 entries
  int64_t calls = 0;
  ESPALIER_HOST_DEVICE int64_t begin(int64_t call) const { return offsets[call] - offsets[0]; }
  ESPALIER_HOST_DEVICE int64_t end(int64_t call) const { return offsets[call + 1] - offsets[0]; }
};

// One op over many rows. `rows` is the number of rows of the result (for Place::call of a list op: of calls).
template <class T>
struct OpLaunch {
  const Kernel* kernel = nullptr;
  int64_t rows = 0;
  int64_t rows_of_round = 0;  // rows of the whole cell batch, over all its steps
  std::span<const Rows<const T>> in;
  Rows<T> out;
  const int32_t* index = nullptr;  // for ops with an index: one per row of the result; on a GPU one per call
  Segments segments;               // for ops that read, write or run over a list
  const uint64_t* keys = nullptr;  // one per call, for random ops
  bool train = true;
  const float* data = nullptr;  // recorded by input()
};

// A fused kernel (cell/code.h) over many rows.
template <class T>
struct FusedLaunch {
  const FusedKernel* kernel = nullptr;
  int64_t rows = 0;
  std::span<const Rows<const T>> in;
  std::span<const Rows<T>> out;
};

template <class T>
using OpFunction = void (*)(const OpLaunch<T>&);

}  // namespace espalier
