// One step of a plan, as phases of a walk. As few as can be, for after each all blocks wait for each other: products
// that do not need each other are one phase, with the run that reads them; who reads gathered rows reads their sources.
#pragma once
#include <span>
#include <vector>

#include "exec/cuda/walk/script.h"

namespace espalier::walk {

// out[rows,n] = x[rows,k] w, with w [n,k], or [k,n] if it is transposed.
struct OfferedProduct {
  unsigned rows = 0, n = 0, k = 0;
  const float* x = nullptr;
  const float* w = nullptr;
  float* out = nullptr;
  long long x_stride = 0, out_stride = 0;
  bool transposed = false, adds = false;
  bool fast = false;       // by tensor cores
  bool read_once = false;  // by one kernel of the step, and by nobody else
};

class WalkedStep {
 public:
  // `base` is the arena, `sources` those of the plan, as the host has them.
  void begin(float* base, std::span<const uint32_t> sources);
  // stays: somebody behind the step reads the gathered rows.
  void gather(const Gather& gather, bool stays) { gathers_.push_back({gather, stays}); }
  void product(const OfferedProduct& product);
  // shadowed: results that are rounded, too (compile/source.h).
  void run(const Run& run, unsigned rows, std::span<const Operand> operands, uint64_t shadowed);

  // The phases of the step, behind those that are there.
  void write(Script& script, unsigned blocks);

 private:
  struct OfferedGather {
    Gather gather;
    bool stays = false;
    bool direct = false;  // its readers read its sources
  };
  struct OfferedRun {
    const Run* run = nullptr;
    unsigned rows = 0;
    size_t first_operand = 0;
    uint64_t shadowed = 0;
  };
  struct Item {  // in the order of the step
    bool is_product = false;
    size_t which = 0;
  };
  // Elements of an x: from a gather's sources, or as they lie.
  struct Piece {
    const OfferedGather* gather = nullptr;
    unsigned first = 0, k = 0;
  };
  struct Division {
    std::vector<Part> parts;
    std::vector<Term> terms;
    bool fits() const;  // into a phase
  };

  std::span<const Operand> operands_of(const OfferedRun& r) const;
  bool is_direct(const OfferedGather& g) const;
  bool reads_sources(const OfferedGather& g, const OfferedProduct& p) const;
  bool reads_sources(const OfferedGather& g, const OfferedRun& r) const;
  std::vector<Piece> pieces_of(const OfferedProduct& p) const;

  bool can_join(const OfferedProduct& p) const;
  bool can_run_behind(const OfferedRun& r) const;
  unsigned common_columns(std::span<const OfferedProduct* const> products) const;
  Division divide(std::span<const OfferedProduct* const> products, unsigned size) const;  // into parts of that size
  void close_group(Script& script, const OfferedRun* behind);
  void write_run(const OfferedRun& r, std::span<const Part> near, Script& script, Phase& phase);
  Phase& open_phase(Script& script, Kind kind, unsigned rows);

  float* base_ = nullptr;
  std::span<const uint32_t> sources_;
  unsigned blocks_ = 0;
  std::vector<OfferedGather> gathers_;
  std::vector<OfferedProduct> products_;
  std::vector<OfferedRun> runs_;
  std::vector<Operand> operands_;
  std::vector<Item> items_;
  std::vector<const OfferedProduct*> group_;  // products of the phase that is being made
  bool copied_ = false;                       // what stays of direct gathers
};

// How a fast product is divided: columns into pieces of phase.tiles tiles, rows into groups of 32. Few columns for a
// block, and many warps for each, unless the blocks are too few for that.
void choose_tiles(Phase& p, unsigned blocks);
// The same, for a weight of which each block keeps its piece; false: there are more pieces than blocks.
bool choose_kept_tiles(Phase& p, unsigned blocks);

}  // namespace espalier::walk
