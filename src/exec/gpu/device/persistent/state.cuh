// The shared memory of a block of a persistent kernel: the descriptions of the phase that it runs. A block loads the
// descriptions of the next phase while it waits for the other blocks; they do not depend on computed values.
#pragma once
#include "exec/gpu/device/persistent/types.h"

namespace espalier::persistent {

__shared__ Arguments args;
__shared__ Phase phase, next_phase;
__shared__ Part parts[max_parts];
__shared__ Term terms[max_terms];
__shared__ Operand operands[max_operands];
__shared__ const float* rows[max_terms][32];  // addresses of the current 32 rows of x, for each term
__shared__ float sums[4096];

struct Task {
  unsigned r0, e0, width;  // first row; first column within each part; number of columns
};

// Runs function phase.function over the rows of `place`. Generated (exec/gpu/persistent/source.cc).
__device__ void run(const Place& place);

// The number of groups into which the columns of each part are divided; a task computes one group.
__device__ __forceinline__ unsigned columns_of(const Phase& p) {
  const unsigned width = p.tiles / p.parts * 8;
  return (p.size + width - 1) / width;
}

__device__ __forceinline__ const float* source_row(unsigned source) {
  return args.base + (unsigned long long)row_unit * args.sources[source];
}

__device__ __forceinline__ void load_rows(const Phase& p, unsigned r0) {
  for (unsigned i = threadIdx.x; i < p.terms * 32; i += blockDim.x) {
    const Term& t = args.terms[p.first_term + i / 32];
    const unsigned row = min(r0 + i % 32, p.rows - 1), first_source = t.first_source;
    rows[i / 32][i % 32] = first_source == none ? t.x + row * t.x_stride : source_row(first_source + row) + t.x_stride;
  }
}

template <class T>
__device__ __forceinline__ void copy(const T* from, T* to, unsigned count, unsigned thread) {
  for (unsigned i = thread; i < count * (sizeof(T) / 4); i += 128) ((unsigned*)to)[i] = ((const unsigned*)from)[i];
}

// Makes next_phase the current phase, with its descriptions. Returns this thread's word of phase `after_next`, whose
// load may still be in flight.
__device__ __forceinline__ unsigned load_phase_data(unsigned after_next) {
  const Phase& p = next_phase;
  const unsigned i = threadIdx.x % 128, which = threadIdx.x / 128;
  unsigned word = 0;
  if (threadIdx.x < sizeof(Phase) / 4) {
    word = ((const unsigned*)(args.phases + after_next))[threadIdx.x];
    ((unsigned*)&phase)[threadIdx.x] = ((const unsigned*)&next_phase)[threadIdx.x];
  }
  if (which == 1) copy(args.parts + p.first_part, parts, p.parts, i);
  if (which == 2) copy(args.terms + p.first_term, terms, p.terms, i);
  if (which == 3) copy(args.operands + p.first_operand, operands, p.operands, i);
  if (p.kind == product_phase && p.flags & fast) load_rows(p, blockIdx.x / columns_of(p) * 32);
  return word;
}

}  // namespace espalier::persistent
