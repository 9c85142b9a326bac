// The kernel contract. A kernel sees rows, never calls; `rows` of them at once. It never allocates and never throws.
#pragma once
#include <cstdint>
#include <span>

#include "base/host_device.h"
#include "cell/code.h"

namespace espalier {

// How many terms of a float sum are added one after the other. A longer sum is one of such blocks, in their order: it
// does not stop growing once it is 2^24 times its terms. Sums that no vector register holds are in double.
constexpr int64_t sum_block = 4096;

// Row i starts at data + i * stride. A stride of 0: all rows are one (a parameter).
template <class T>
struct Rows {
  T* data = nullptr;
  int64_t stride = 0;
  ESPALIER_HOST_DEVICE T* operator[](int64_t i) const { return data + i * stride; }
};

// The rows of a variadic group: those of call c are segment[c] … segment[c+1] - 1, counted from segment[0].
struct Segments {
  const uint32_t* offsets = nullptr;  // calls + 1 entries
  int64_t calls = 0;
  ESPALIER_HOST_DEVICE int64_t begin(int64_t call) const { return offsets[call] - offsets[0]; }
  ESPALIER_HOST_DEVICE int64_t end(int64_t call) const { return offsets[call + 1] - offsets[0]; }
};

// One op over many rows. `rows` counts the rows of the op's result (for Place::call of a list op: the calls).
template <class T>
struct OpLaunch {
  const Kernel* kernel = nullptr;
  int64_t rows = 0;
  int64_t rows_of_round = 0;  // of all steps of the round that run this kernel
  std::span<const Rows<const T>> in;
  Rows<T> out;
  const int32_t* index = nullptr;  // one per row of the result, for ops with an index
  Segments segments;               // for ops that read, write or run over a list
  const uint64_t* keys = nullptr;  // one per call, for random ops
  bool train = true;
  const float* data = nullptr;  // what input() recorded
};

// An element-wise run over many rows: see cell/code.h.
template <class T>
struct RunLaunch {
  const Run* run = nullptr;
  int64_t rows = 0;
  std::span<const Rows<const T>> in;
  std::span<const Rows<T>> out;
};

template <class T>
using OpFunction = void (*)(const OpLaunch<T>&);

}  // namespace espalier
