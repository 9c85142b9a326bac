#include "exec/gpu/persistent/planner.h"

#include <algorithm>
#include <utility>

namespace espalier::persistent {
namespace {

// The work of one warp for a product, in tiles of 32 rows, 8 columns and 16 elements of k. A tile takes a quarter of a
// microsecond.
double work(const OfferedProduct& p, unsigned blocks) {
  if (!p.fast) return ceil_div(ceil_div(p.rows, 8) * ceil_div(p.n, 32), blocks) * static_cast<double>(p.k) / 32;
  const double tiles = static_cast<double>(ceil_div(p.rows, 32)) * ceil_div(p.n, 8) * p.k / 16;
  return tiles / (blocks * warps);
}

// Tiles per warp; above this, separate launches are faster.
constexpr double max_work = 32;

bool aligned16(const void* data, long long stride) {
  return (reinterpret_cast<uintptr_t>(data) | static_cast<uintptr_t>(stride) * sizeof(float)) % 16 == 0;
}

bool is_fast(const Phase& p) { return p.kind == product_phase && (p.flags & fast) != 0; }

bool same_weight(const Script& script, const Phase& a, const Phase& b) {
  const auto terms = [&](const Phase& p) { return std::span(script.terms).subspan(p.first_term, p.terms); };
  const auto parts = [&](const Phase& p) { return std::span(script.parts).subspan(p.first_part, p.parts); };
  return a.parts == b.parts && a.size == b.size && ((a.flags ^ b.flags) & transposed) == 0 &&
         std::ranges::equal(parts(a), parts(b), {}, &Part::chunks, &Part::chunks) &&
         std::ranges::equal(terms(a), terms(b), [](const Term& s, const Term& t) {
           return s.w == t.w && s.w_stride == t.w_stride && s.k == t.k;
         });
}

}  // namespace

void Planner::begin(float* base, std::span<const uint32_t> sources, const Capacity& capacity) {
  base_ = base;
  sources_ = sources;
  capacity_ = capacity;
  planned_.clear();
  script_.cut({});
  step_.begin(base, sources);
  open_ = {};
  flops_ = 0;
}

bool Planner::product(OfferedProduct p, double flops) {
  p.fast =
      capacity_.tensor_cores && p.k % 16 == 0 && aligned16(p.x, p.x_stride) && (p.transposed || aligned16(p.w, p.k));
  if (work(p, capacity_.blocks) > max_work) return false;
  step_.product(p);
  flops_ += flops;
  return true;
}

bool Planner::fused(const FusedKernel& fused, unsigned rows, std::span<const Operand> operands,
                    SaturatingMask shadowed) {
  if (operands.size() > max_operands) return false;
  step_.fused(fused, rows, operands, shadowed);
  return true;
}

void Planner::end_step(uint32_t step) {
  if (open_.steps == 0) {
    open_.first_step = step;
    open_.first_phase = static_cast<unsigned>(script_.phases.size());
    opened_ = script_.sizes();
  }
  ++open_.steps;
  open_.product_flops += flops_;
  flops_ = 0;
  step_.write(script_, capacity_.blocks);
  step_.begin(base_, sources_);
}

void Planner::drop_step() {
  flops_ = 0;
  step_.begin(base_, sources_);
  close();
}

// Ends the open kernel. It is discarded if it has fewer than min_steps steps: these would not pay for its compilation.
void Planner::close() {
  constexpr uint32_t min_steps = 4;
  if (open_.steps >= min_steps && script_.phases.size() > open_.first_phase) {
    keep_weights();
    open_.phases = static_cast<unsigned>(script_.phases.size()) - open_.first_phase;
    const std::span<const Phase> phases = phases_of(open_);
    for (const Phase& p : phases.first(phases.size() - 1)) open_.barriers += (p.flags & no_barrier) == 0;
    for (const Phase& p : phases)
      if (p.kind == product_phase) ((p.flags & fast) != 0 ? open_.products.fast : open_.products.plain) = true;
    open_.functions = std::exchange(script_.functions, {});
    planned_.push_back(std::move(open_));
  } else if (open_.steps > 0) {
    script_.cut(opened_);
  }
  open_ = {};
  script_.functions.clear();
}

// Inserts load phases at the start of the kernel, for weights that several of its products need, as long as there is
// room: each block loads its columns into shared memory. A large weight does not stay in the caches from step to step.
void Planner::keep_weights() {
  struct Weight {
    Phase load;
    unsigned products = 0;
  };
  std::vector<Weight> weights;
  const std::span<Phase> all = std::span(script_.phases).subspan(open_.first_phase);
  for (const Phase& p : all)
    if (is_fast(p)) {
      auto it = std::ranges::find_if(weights, [&](const Weight& w) { return same_weight(script_, w.load, p); });
      if (it == weights.end()) it = weights.insert(it, {p});
      ++it->products;
    }
  unsigned used = 0;
  for (Weight& w : weights) {
    if (w.products < 2 || !choose_kept_tiles(w.load, capacity_.blocks)) continue;
    const unsigned size = w.load.tiles * w.load.chunks * 32;
    if ((used + size) * sizeof(float) * 4 > capacity_.shared_bytes) continue;
    w.load.kind = load_phase;
    w.load.slice = used;
    w.load.flags = (w.load.flags & transposed) | no_barrier;
    w.load.gathers = w.load.operands = 0;
    used += size;
    for (Phase& p : all)
      if (is_fast(p) && same_weight(script_, w.load, p)) {
        p.tiles = w.load.tiles;
        p.slice = w.load.slice;
        p.flags |= kept;
      }
  }
  open_.shared_bytes = static_cast<unsigned>(used * sizeof(float) * 4);
  for (const Weight& w : weights)
    if (w.load.kind == load_phase) script_.phases.insert(script_.phases.begin() + open_.first_phase, w.load);
}

}  // namespace espalier::persistent
