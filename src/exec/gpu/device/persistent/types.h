// The data of a persistent kernel, as the host writes it and the kernel reads it. The host compiles this header, and
// NVRTC gets its text; so it includes nothing.
#pragma once

namespace espalier::persistent {

inline constexpr unsigned threads = 512;  // per block
inline constexpr unsigned row_unit = 2;   // elements; sources of gathers are counted in these
inline constexpr unsigned none = ~0u;     // no source, no offset

// Limits of a phase: a block holds the descriptions in shared memory.
inline constexpr unsigned max_parts = 16, max_terms = 16, max_operands = 64;

// The same layout as espalier::Gather (plan/plan.h). A row has fewer than 2^31 elements on a GPU, so that the lower
// half of its size is the size.
struct GatherView {
  unsigned first_source;
  unsigned first_offset;  // none: one source per row
  unsigned rows;
  unsigned padding;
  unsigned size;
  unsigned size_high;  // 0
  unsigned long long stride;
  unsigned long long out;
};

// How a fused kernel reads the rows of an operand. Compiled into the kernel.
enum class Access : unsigned char {
  strided,   // at data + row * stride
  gathered,  // at its source, or as the sum of its sources, instead of a gather before the kernel
  near       // in shared memory: columns of a product that the block has just computed
};
struct Operand {
  float* data;
  long long stride;       // gathered: the first element that is read of a source
  unsigned first_source;  // gathered: the first source; near: the index of the part
  unsigned first_offset;  // gathered: the first offset; none: one source per row
};

// Rows row to end - 1, elements e to e + width - 1 of each, for thread `first` of `threads`.
struct Place {
  unsigned row;
  unsigned end;
  unsigned e;
  unsigned width;
  unsigned first;
  unsigned threads;
  unsigned parts;    // after a product: the number of its parts
  unsigned of_tile;  // after a product: elements of one of its tiles
};

// A part of a product is a sum of terms x[rows,k] w. w is [n,k], or [k,n] if transposed, from the first column of the
// part on.
struct Term {
  const float* x;
  long long x_stride;  // gathered: the first element that is read of a source
  const float* w;
  unsigned w_stride;
  unsigned k;
  unsigned first_source;  // of a gather whose sources are read instead of x; none: x is read
  unsigned unused;
};
struct Part {  // all parts of a phase have the same number of columns
  float* out;
  long long out_stride;
  unsigned first_term;  // in the terms of the phase
  unsigned chunks;      // number of chunks of 16 elements in the k of all terms
  unsigned flags;
  unsigned unused;
};

enum Kind { gather_phase, product_phase, fused_phase, load_phase };
enum Flag {
  transposed = 1,
  adds = 2,         // part: add to the elements of out
  unseen = 4,       // part: not written to out, because only the fused kernel of the same phase reads it
  fast = 8,         // product by tensor cores
  with_fused = 16,  // `function` runs over the block's own columns after the product
  no_barrier = 32,  // the next phase reads nothing that other blocks write in this one
  kept = 64         // w is in shared memory, where a load phase has put it
};
struct Phase {
  int kind;
  int function;  // index of the function of a fused kernel
  unsigned flags;
  unsigned rows;          // of a fused kernel or product
  unsigned first_gather;  // gathers that run in addition
  unsigned gathers;
  unsigned first_operand;
  unsigned operands;
  unsigned first_part;
  unsigned parts;
  unsigned first_term;
  unsigned terms;
  unsigned size;    // columns of each part
  unsigned tiles;   // tiles of eight columns that a block computes at once, equally many of each part
  unsigned chunks;  // maximum over the parts
  unsigned slice;   // kept: where the block's columns of w begin in its shared memory, in uint4
};

struct Arguments {
  const Phase* phases;
  const Part* parts;
  const Term* terms;
  const Operand* operands;
  const GatherView* gathers;
  const unsigned* sources;
  const unsigned* offsets;
  float* base;                   // of the arena
  unsigned long long bf16_copy;  // locates the bf16 copy of the arena (rounding.cuh)
};

static_assert(sizeof(GatherView) == 40 && sizeof(Operand) == 24 && sizeof(Term) == 40 && sizeof(Part) == 32 &&
              sizeof(Phase) == 64 && sizeof(Arguments) == 72);

}  // namespace espalier::persistent
