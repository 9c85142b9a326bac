// A compiled cell: buffers and kernels. The plan decides where a buffer lives, the executor what a kernel does.
#pragma once
#include <cstdint>
#include <vector>

#include "op/op.h"

namespace espalier {

struct Buffer {
  enum class Kind : uint8_t {
    input,     // row input `which`: in place or gathered
    output,    // output `which`: read by other calls
    kept,      // a forward value that the backward pass reads
    dout,      // gradient of output `which`, pulled from its readers
    slot,      // gradient of row input `which`, read by its producer
    dkept,     // a backward value that a weight gradient reads
    scratch,   // lives within one forward step
    dscratch,  // lives within one backward step
  };
  Kind kind = Kind::scratch;
  int which = 0;
  int space = 0;
  uint64_t size = 0;         // elements of a row
  uint64_t stride = 0;       // from row to row: size, rounded up to a unit
  bool accumulated = false;  // an input or dout that a weight gradient reads: over all steps at once
  int inside = -1;           // an input that is gathered into the rows of this buffer, to be part of a concat,
  uint64_t at = 0;           // from this element on
};

// Rows of a buffer, or of a parameter; `offset` elements into each row.
struct RowsOf {
  enum class Kind : uint8_t { none, buffer, parameter };
  Kind kind = Kind::none;
  int which = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// A run of element-wise ops: one list of primitives over all elements of the rows.
struct Run {
  struct In {
    RowsOf rows;
    bool scalar = false;  // one element, repeated over the row
  };
  struct Out {
    RowsOf rows;
    uint16_t reg = 0;
  };
  std::vector<In> in;  // registers 0 … in.size()-1
  std::vector<Out> out;
  std::vector<Instruction> code;
  uint16_t registers = 0;
  uint64_t size = 0;
  uint64_t serial = 0;  // never given to another run: for those who keep something for each
};

struct Kernel {
  enum class Kind : uint8_t { op, run, number };  // number: makes a number of the call a row
  Kind kind = Kind::op;
  const OpInfo* op = nullptr;
  Attrs attrs;
  int space = 0;     // the rows it runs over
  int list = -1;     // the group whose segments it needs
  int index = -1;    // integer of the call
  int literal = -1;  // or that integer itself
  int number = -1;   // number of the call
  std::vector<RowsOf> in;
  std::vector<Shape> in_shapes;
  RowsOf out;
  bool adds = false;  // a product, to what is in `out` already
  Shape out_shape;
  Run run;
  uint64_t roots = 0;  // backward: the gradients it serves; none wanted, it is left out
  int node = -1;       // for names
};

struct CompiledAccumulation {
  RowsOf dy, x;
  int space = 0;
  int m = 1, n = 1;  // of a product: dy is rows of m, x rows of n
};

// Kernels that need not wait for a recursion, and the row inputs that decide it; both as bits.
struct Ahead {
  uint64_t inputs = 0, kernels = 0;
};

struct Code {
  std::vector<Buffer> buffers;
  std::vector<Kernel> forward, backward;
  std::vector<int> input_buffer, output_buffer, dout_buffer, slot_buffer;  // per row input / output; -1 where none
  std::vector<uint64_t> slot_offset;  // a slot may be part of the rows of its buffer
  std::vector<CompiledAccumulation> accumulations;
  std::vector<uint64_t> slot_root, accumulation_root;  // bits in Kernel::roots
  std::vector<Ahead> prologue;                         // forward: a product, with all it needs, of these inputs alone
  std::vector<Ahead> epilogue;  // backward: products that give only the gradients of these inputs
};

constexpr uint32_t unit = 2;         // rows start at multiples of this many elements
constexpr uint64_t cache_line = 16;  // regions, at multiples of this many: a cache line of floats
constexpr uint64_t aligned(uint64_t n) { return (n + cache_line - 1) / cache_line * cache_line; }
constexpr uint64_t padded(uint64_t n) { return (n + unit - 1) / unit * unit; }

}  // namespace espalier
