// A compiled cell: buffers and kernels. The plan decides where a buffer is stored, the executor how a kernel runs.
#pragma once
#include <cstdint>
#include <vector>

#include "base/saturating_mask.h"
#include "op/op.h"

namespace espalier {

struct Buffer {
  enum class Kind : uint8_t {
    input,     // row input `which`: read in place or gathered
    output,    // output `which`: read by other calls
    kept,      // a forward value that the backward pass reads
    dout,      // gradient of output `which`: the sum of the din rows of its readers
    din,       // gradient of row input `which`: read by the backward step of its producer
    dkept,     // a backward value that a weight gradient reads, or that contains din rows
    scratch,   // lives within one forward step
    dscratch,  // lives within one backward step
  };
  Kind kind = Kind::scratch;
  int which = 0;
  int space = 0;
  uint64_t size = 0;         // elements per row
  uint64_t stride = 0;       // elements from row to row: size, rounded up to `unit`
  bool accumulated = false;  // an input or dout that a weight gradient reads for all steps at once
  int inside = -1;           // for an input that is a part of a concat: the buffer into whose rows it is gathered,
  uint64_t at = 0;           // starting at this element
};

// Elements offset … offset + size - 1 of each row of a buffer or parameter.
struct RowsOf {
  enum class Kind : uint8_t { none, buffer, parameter };
  Kind kind = Kind::none;
  int which = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// Several element-wise ops as one kernel: a list of primitives that runs for every element of the rows.
struct FusedKernel {
  struct In {
    RowsOf rows;
    bool scalar = false;  // one element per row, repeated over the row
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
  uint64_t serial = 0;  // unique in the process, as a key for caches
};

struct Kernel {
  enum class Kind : uint8_t { op, fused, number };  // number: writes a number of the call as a row
  Kind kind = Kind::op;
  const OpInfo* op = nullptr;
  Attrs attrs;
  int space = 0;     // the row space it runs over
  int list = -1;     // the group whose segments it reads; -1: none
  int index = -1;    // the integer of the call that it reads; -1: none
  int literal = -1;  // the constant integer that it reads instead; -1: none
  int number = -1;   // Kind::number: the number of the call that it writes
  std::vector<RowsOf> in;
  std::vector<Shape> in_shapes;
  RowsOf out;
  bool adds = false;  // a product that adds to `out` instead of overwriting it
  Shape out_shape;
  FusedKernel fused;
  SaturatingMask gradient_mask;  // backward: the gradients that depend on it; skipped if none of them is requested
  int node = -1;                 // the first node, for names
};

struct CompiledAccumulation {
  RowsOf dy, x;
  int space = 0;
  int m = 1, n = 1;  // of a product: dy has rows of m, x has rows of n elements
};

// Kernels that can be hoisted out of a recursion if all these row inputs are computed before its first step.
struct HoistedKernels {
  SaturatingMask inputs, kernels;
};

struct Code {
  std::vector<Buffer> buffers;
  std::vector<Kernel> forward, backward;
  std::vector<int> input_buffer, output_buffer, dout_buffer, din_buffer;  // per row input or output; -1: none
  std::vector<uint64_t> din_offset;  // per row input: the first element of its din within a row of din_buffer
  std::vector<CompiledAccumulation> accumulations;
  std::vector<SaturatingMask> din_mask, accumulation_mask;  // the bit of each gradient in Kernel::gradient_mask
  std::vector<HoistedKernels> hoisted_forward;              // each: a product and the kernels it depends on
  std::vector<HoistedKernels> hoisted_backward;             // each: products that compute only din rows of these inputs

  // Whether an accumulation for which `which(i)` is true reads the buffer.
  template <class Which>
  bool accumulates(size_t buffer, Which&& which) const {
    auto reads = [&](const RowsOf& rows) {
      return rows.kind == RowsOf::Kind::buffer && rows.which == static_cast<int>(buffer);
    };
    for (size_t a = 0; a < accumulations.size(); ++a)
      if ((reads(accumulations[a].dy) || reads(accumulations[a].x)) && which(a)) return true;
    return false;
  }
};

constexpr uint32_t unit = 2;         // a row starts at a multiple of this many elements
constexpr uint64_t cache_line = 16;  // in elements (64 bytes of floats); a region starts at a multiple of it
constexpr uint64_t aligned(uint64_t n) { return (n + cache_line - 1) / cache_line * cache_line; }
constexpr uint64_t padded(uint64_t n) { return (n + unit - 1) / unit * unit; }

}  // namespace espalier
