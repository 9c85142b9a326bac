// What a walk's kernel and the host both know: written once, as C++ and as text.
#pragma once
#include "plan/plan.h"

namespace espalier::walk {

#define ESPALIER_CODE_AND_TEXT(name, ...) \
  __VA_ARGS__                             \
  inline constexpr char name[] = #__VA_ARGS__;

// Gather, of plan.h, as the kernel sees it: of the size the lower half, for a row has fewer than 2^31 elements there.
inline constexpr char gather_source[] =
    "struct Gather { unsigned first_source, first_offset, rows, gap, size, above; unsigned long long stride, out; };\n";
static_assert(sizeof(Gather) == 40 && offsetof(Gather, first_source) == 0 && offsetof(Gather, first_offset) == 4 &&
              offsetof(Gather, rows) == 8 && offsetof(Gather, size) == 16 && offsetof(Gather, stride) == 24 &&
              offsetof(Gather, out) == 32);

// clang-format off
ESPALIER_CODE_AND_TEXT(types_source,
  // How a run reaches the rows of an operand. It is known when the kernel is compiled.
  enum class Access : unsigned char {
    strided,                     // at data + row * stride
    gathered,                    // at its source, or the sum of its sources: the gather in front is left out
    near                         // in shared memory: columns of a product that the block has just computed
  };
  struct Operand {
    float* data;
    long long stride;            // gathered: the element of a source that it begins with
    unsigned first_source;       // gathered; near: which part of the product
    unsigned first_offset;       // gathered; ~0: a row has one source
  };
  struct Place {                 // rows row … end - 1, elements e … e + width - 1 of each; thread `first` of `threads`
    unsigned row;
    unsigned end;
    unsigned e;
    unsigned width;
    unsigned first;
    unsigned threads;
    unsigned parts;              // behind a product: how many it has,
    unsigned of_tile;            // and the elements of each of its tiles
  };
  // Σ over terms of x[rows,k] w: w is [n,k], or [k,n] if transposed, and begins with the part's first column.
  struct Term {
    const float* x;
    long long x_stride;          // gathered: the element of a source that it begins with
    const float* w;
    unsigned w_stride;
    unsigned k;
    unsigned first_source;       // of the rows, where the gather in front is left out; ~0: it is not
    unsigned unused;
  };
  struct Part {                  // as many columns as all parts of the phase
    float* out;
    long long out_stride;
    unsigned first_term;         // in the terms of the phase
    unsigned chunks;             // of 16 in all its terms' k
    unsigned flags;
    unsigned unused;
  };
  enum Kind { gather_phase, product_phase, run_phase, load_phase };
  struct Phase {
    int kind;
    int function;                // of a run
    unsigned flags;
    unsigned rows;               // of a run, a product
    unsigned first_gather;       // rows to be gathered beside what the phase does
    unsigned gathers;
    unsigned first_operand;      // of a run
    unsigned operands;
    unsigned first_part;         // of a product
    unsigned parts;
    unsigned first_term;
    unsigned terms;
    unsigned size;               // columns of each part
    unsigned tiles;              // of eight columns that a block computes at once, of all parts alike
    unsigned chunks;             // the most that a part has
    unsigned slice;              // where the block keeps its columns of w, if it does: a uint4 of its shared memory
  };
  enum Flag {
    transposed = 1,
    adds = 2,                    // of a part: to what is there
    unseen = 4,                  // of a part: nobody but the run behind it reads it
    fast = 8,                    // by tensor cores
    with_run = 16,               // `function` runs over the block's own columns right behind
    goes_on = 32,                // the next phase needs nothing of this one
    kept = 64                    // w is in shared memory: a load phase has brought it
  };
  struct World {
    const Phase* phases;
    const Part* parts;
    const Term* terms;
    const Operand* operands;
    const Gather* gathers;
    const unsigned* sources;
    const unsigned* offsets;
    float* base;                 // of the arena
    unsigned long long shadow;   // bf16/rounding.h
  };
)
// clang-format on

// What a block holds near at most; a phase has no more.
inline constexpr unsigned most_parts = 16, most_terms = 16, most_operands = 64;

}  // namespace espalier::walk
