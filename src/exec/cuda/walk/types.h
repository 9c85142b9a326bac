// What a walk's kernel and the host both know: written once, as C++ and as text.
#pragma once
#include "plan/plan.h"

namespace espalier::walk {

#define ESPALIER_CODE_AND_TEXT(name, ...) \
  __VA_ARGS__                             \
  inline constexpr char name[] = #__VA_ARGS__;

// clang-format off
ESPALIER_CODE_AND_TEXT(types_source,
  struct Operand {
    float* data;
    long long stride;
  };
  struct Place {                 // rows row … end - 1, elements e … e + width - 1 of each; thread `first` of `threads`
    unsigned row;
    unsigned end;
    unsigned e;
    unsigned width;
    unsigned first;
    unsigned threads;
  };
  enum Kind { gather_phase, product_phase, run_phase, load_phase };
  struct Phase {
    int kind;
    int function;                // of a run
    unsigned rows;               // of a run, a product
    unsigned first;              // of a gather: in the gathers; of a run: in the operands
    unsigned count;              // of a gather: how many
    unsigned n;                  // of a product: out[rows,n] = x[rows,k] w, with w [n,k], or [k,n] if it is transposed
    unsigned k;
    unsigned flags;
    unsigned parts;              // of the columns: as many as the run behind it reads side by side, else one
    unsigned tiles;              // of eight columns that a block computes at once
    unsigned slice;              // where the block keeps its columns of w, if it does: a float4 of its shared memory
    const float* x;
    const float* w;
    float* out;
    long long x_stride;
    long long out_stride;
  };
  enum Flag {
    transposed = 1,
    adds = 2,
    fast = 4,                    // by tensor cores
    with_run = 8,                // `function` runs over the block's own columns right behind
    goes_on = 16,                // the next phase needs nothing of this one
    kept = 32                    // w is in shared memory: a load phase has brought it
  };
)
// clang-format on

// Gather, of plan.h, as the kernel sees it.
inline constexpr char gather_source[] =
    "struct Gather { unsigned first_source, first_offset, rows, size, stride; unsigned long long out; };\n";
static_assert(sizeof(Gather) == 32 && offsetof(Gather, first_source) == 0 && offsetof(Gather, first_offset) == 4 &&
              offsetof(Gather, rows) == 8 && offsetof(Gather, size) == 12 && offsetof(Gather, stride) == 16 &&
              offsetof(Gather, out) == 24);

}  // namespace espalier::walk
