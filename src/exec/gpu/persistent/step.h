// Writes one step of a plan as phases of a persistent kernel. Since all blocks wait for each other after a phase, the
// phases should be few: independent products share a phase with the fused kernel that reads them, and kernels read the
// sources of gathered rows instead of the gathered rows.
#pragma once
#include <span>
#include <vector>

#include "exec/gpu/persistent/script.h"

namespace espalier::persistent {

inline constexpr unsigned warps = threads / 32;

constexpr unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

// out[rows,n] = x[rows,k] w, with w [n,k], or [k,n] if transposed.
struct OfferedProduct {
  unsigned rows = 0, n = 0, k = 0;
  const float* x = nullptr;
  const float* w = nullptr;
  float* out = nullptr;
  long long x_stride = 0, out_stride = 0;
  bool transposed = false, adds = false;
  bool fast = false;       // by tensor cores
  bool read_once = false;  // exactly one kernel reads the result, and it is in the step
};

class StepWriter {
 public:
  // `base` is the arena; `sources` is Plan::sources, on the host.
  void begin(float* base, std::span<const uint32_t> sources);
  // stays: something after the step reads the gathered rows.
  void gather(const Gather& gather, bool stays) { gathers_.push_back({gather, stays}); }
  void product(const OfferedProduct& product);
  // shadowed: results that are also written to the bf16 copy (Results in fused_source.h).
  void fused(const FusedKernel& fused, unsigned rows, std::span<const Operand> operands, SaturatingMask shadowed);

  // Appends the phases of the step to the script.
  void write(Script& script, unsigned blocks);

 private:
  struct OfferedGather {
    Gather gather;
    bool stays = false;
    bool direct = false;  // kernels read its sources instead of the gathered rows
  };
  struct OfferedFusedKernel {
    const FusedKernel* kernel = nullptr;
    unsigned rows = 0;
    size_t first_operand = 0;
    SaturatingMask shadowed{};
  };
  struct Item {  // in the order of the step
    bool is_product = false;
    size_t which = 0;
  };
  // Elements first to first + k - 1 of x: read from the sources of `gather`; from x itself if it is null.
  struct Piece {
    const OfferedGather* gather = nullptr;
    unsigned first = 0, k = 0;
  };
  struct Division {
    std::vector<Part> parts;
    std::vector<Term> terms;
    bool fits() const;  // into a phase
  };

  std::span<const Operand> operands_of(const OfferedFusedKernel& r) const;
  bool is_direct(const OfferedGather& g) const;
  bool reads_sources(const OfferedGather& g, const OfferedProduct& p) const;
  bool reads_sources(const OfferedGather& g, const OfferedFusedKernel& r) const;
  std::vector<Piece> pieces_of(const OfferedProduct& p) const;

  bool can_join(const OfferedProduct& p) const;
  bool can_follow(const OfferedFusedKernel& r) const;
  unsigned common_columns(std::span<const OfferedProduct* const> products) const;
  Division divide(std::span<const OfferedProduct* const> products, unsigned size) const;  // into parts of that size
  void close_group(Script& script, const OfferedFusedKernel* behind);
  void write_fused(const OfferedFusedKernel& r, std::span<const Part> near, Script& script, Phase& phase);
  Phase& open_phase(Script& script, Kind kind, unsigned rows);

  float* base_ = nullptr;
  std::span<const uint32_t> sources_;
  unsigned blocks_ = 0;
  std::vector<OfferedGather> gathers_;
  std::vector<OfferedProduct> products_;
  std::vector<OfferedFusedKernel> fused_;
  std::vector<Operand> operands_;
  std::vector<Item> items_;
  std::vector<const OfferedProduct*> group_;  // products of the phase that is being written
  bool copied_ = false;                       // whether the direct gathers whose rows stay are in the script
};

// Divides a fast product among blocks: columns into pieces of phase.tiles tiles, rows into groups of 32. A block gets
// few columns and many warps per column, unless there are too few blocks.
void choose_tiles(Phase& p, unsigned blocks);
// The same for a weight of which each block keeps its piece in shared memory; false: more pieces than blocks.
bool choose_kept_tiles(Phase& p, unsigned blocks);

}  // namespace espalier::persistent
