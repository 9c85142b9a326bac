#include "exec/cuda/walk/walks.h"

#include <algorithm>
#include <tuple>

namespace espalier {
namespace {

constexpr size_t static_shared_bytes = 28 << 10;  // of the kernel, and what the system takes

constexpr unsigned warps = walk::threads / 32;

unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

// How much a warp has to do for a product: tiles of 32 rows, 8 columns and 16 of k; a quarter of a microsecond each.
double work(const walk::OfferedProduct& p, unsigned blocks) {
  if (!p.fast) return ceil_div(ceil_div(p.rows, 8) * ceil_div(p.n, 32), blocks) * static_cast<double>(p.k) / 32;
  const double tiles = static_cast<double>(ceil_div(p.rows, 32)) * ceil_div(p.n, 8) * p.k / 16;
  return tiles / (blocks * warps);
}

// Above, launches of their own are faster.
constexpr double most_work = 32;

bool aligned16(const void* data, long long stride) {
  return (reinterpret_cast<uintptr_t>(data) | static_cast<uintptr_t>(stride) * sizeof(float)) % 16 == 0;
}

}  // namespace

CudaWalks::CudaWalks(CudaDevice& device, Precision precision, cudaStream_t stream)
    : device_(device), precision_(precision), stream_(stream) {
  device.use();
  check(cudaMemsetAsync(arrived_.need(1), 0, sizeof(unsigned), stream), "a walk's counter");
}

void CudaWalks::begin(float* base, std::span<const uint32_t> sources, unsigned beside) {
  base_ = base;
  sources_ = sources;
  blocks_ = std::max(1u, static_cast<unsigned>(device_.multiprocessors) / std::max(beside, 1u));
  walks_.clear();
  script_.cut({});
  step_.begin(base, sources);
  open_ = {};
  flops_ = 0;
}

bool CudaWalks::product(walk::OfferedProduct p, double flops) {
  p.fast = precision_ != Precision::f32 && p.k % 16 == 0 && aligned16(p.x, p.x_stride) &&
           (p.transposed || aligned16(p.w, p.k));
  if (work(p, blocks_) > most_work) return false;
  step_.product(p);
  flops_ += flops;
  return true;
}

bool CudaWalks::run(const Run& run, unsigned rows, std::span<const walk::Operand> operands, uint64_t shadowed) {
  if (operands.size() > walk::most_operands) return false;
  step_.run(run, rows, operands, shadowed);
  return true;
}

void CudaWalks::end_step(uint32_t step) {
  if (open_.steps == 0) {
    open_.first_step = step;
    open_.first_phase = static_cast<unsigned>(script_.phases.size());
    opened_ = script_.sizes();
  }
  ++open_.steps;
  open_.product_flops += flops_;
  flops_ = 0;
  step_.write(script_, blocks_);
  step_.begin(base_, sources_);
}

void CudaWalks::drop_step() {
  flops_ = 0;
  step_.begin(base_, sources_);
  close();
}

void CudaWalks::end() { drop_step(); }

// Few steps are not worth a kernel of their own, which must be compiled once.
void CudaWalks::close() {
  constexpr uint32_t least_steps = 4;
  if (open_.steps >= least_steps && script_.phases.size() > open_.first_phase) {
    keep_weights();
    open_.phases = static_cast<unsigned>(script_.phases.size()) - open_.first_phase;
    for (unsigned i = 0; i + 1 < open_.phases; ++i)
      open_.meetings += (script_.phases[open_.first_phase + i].flags & walk::goes_on) == 0;
    open_.kernel = kernel();
    walks_.push_back(open_);
  } else if (open_.steps > 0) {
    script_.cut(opened_);
  }
  open_ = {};
  script_.functions.clear();
}

// One that has all functions that the walk needs, and perhaps more: to compile one takes a second.
CUfunction CudaWalks::kernel() {
  walk::Products products;
  const std::span<walk::Phase> phases = std::span(script_.phases).subspan(open_.first_phase);
  for (const walk::Phase& p : phases)
    if (p.kind == walk::product_phase) ((p.flags & walk::fast) != 0 ? products.fast : products.plain) = true;
  const auto will_do = [&](const Compiled& c) {
    return c.products.fast >= products.fast && c.products.plain >= products.plain &&
           std::ranges::all_of(script_.functions, [&](const walk::Function& f) {
             return std::ranges::find(c.functions, f) != c.functions.end();
           });
  };
  auto it = std::ranges::find_if(kernels_, will_do);
  if (it == kernels_.end()) {
    std::vector<walk::Function> sorted = script_.functions;  // one kernel, whichever function came first
    std::ranges::sort(sorted, {}, [](const walk::Function& f) { return std::tie(f.serial, f.access, f.shadowed); });
    const CUfunction made = device_.kernels.get(walk::source(sorted, products), walk::kernel_name);
    cuda_driver().check(cuda_driver().cuFuncSetAttribute(made, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                         static_cast<int>(device_.shared_bytes - static_shared_bytes)),
                        "shared memory of a walk");
    it = kernels_.insert(it, {std::move(sorted), products, made});
  }
  for (walk::Phase& p : phases)
    if (p.kind == walk::run_phase || (p.flags & walk::with_run) != 0)
      p.function = static_cast<int>(
          std::ranges::find(it->functions, script_.functions[static_cast<size_t>(p.function)]) - it->functions.begin());
  return it->kernel;
}

// A weight that several products of the walk need is brought into shared memory first, each block's columns of it, as
// far as there is room: the caches do not hold a large one from step to step.
void CudaWalks::keep_weights() {
  struct Weight {
    walk::Phase load;
    unsigned products = 0;
  };
  const auto is_fast = [](const walk::Phase& p) {
    return p.kind == walk::product_phase && (p.flags & walk::fast) != 0;
  };
  const auto terms = [&](const walk::Phase& p) { return std::span(script_.terms).subspan(p.first_term, p.terms); };
  const auto parts = [&](const walk::Phase& p) { return std::span(script_.parts).subspan(p.first_part, p.parts); };
  const auto same = [&](const walk::Phase& a, const walk::Phase& b) {
    return a.parts == b.parts && a.size == b.size && ((a.flags ^ b.flags) & walk::transposed) == 0 &&
           std::ranges::equal(parts(a), parts(b), {}, &walk::Part::chunks, &walk::Part::chunks) &&
           std::ranges::equal(terms(a), terms(b), [](const walk::Term& s, const walk::Term& t) {
             return s.w == t.w && s.w_stride == t.w_stride && s.k == t.k;
           });
  };
  std::vector<Weight> weights;
  const std::span<walk::Phase> all = std::span(script_.phases).subspan(open_.first_phase);
  for (const walk::Phase& p : all)
    if (is_fast(p)) {
      auto it = std::ranges::find_if(weights, [&](const Weight& w) { return same(w.load, p); });
      if (it == weights.end()) it = weights.insert(it, {p});
      ++it->products;
    }
  unsigned used = 0;
  for (Weight& w : weights) {
    if (w.products < 2 || !walk::choose_kept_tiles(w.load, blocks_)) continue;
    const unsigned size = w.load.tiles * w.load.chunks * 32;
    if ((used + size) * sizeof(float) * 4 > device_.shared_bytes - static_shared_bytes) continue;
    w.load.kind = walk::load_phase;
    w.load.slice = used;
    w.load.flags = (w.load.flags & walk::transposed) | walk::goes_on;
    w.load.gathers = w.load.operands = 0;
    used += size;
    for (walk::Phase& p : all)
      if (is_fast(p) && same(w.load, p)) {
        p.tiles = w.load.tiles;
        p.slice = w.load.slice;
        p.flags |= walk::kept;
      }
  }
  open_.shared_bytes = static_cast<unsigned>(used * sizeof(float) * 4);
  for (const Weight& w : weights)
    if (w.load.kind == walk::load_phase) script_.phases.insert(script_.phases.begin() + open_.first_phase, w.load);
}

void CudaWalks::launch(const Walk& w, walk::World world) {
  unsigned first = w.first_phase, count = w.phases, target = target_;
  unsigned* arrived = arrived_.data();
  void* arguments[] = {&world, &first, &count, &arrived, &target};
  cuda_driver().check(cuda_driver().cuLaunchCooperativeKernel(w.kernel, blocks_, 1, 1, walk::threads, 1, 1,
                                                              w.shared_bytes, stream_, arguments),
                      "a walk");
  target_ += blocks_ * w.meetings;
}

}  // namespace espalier
