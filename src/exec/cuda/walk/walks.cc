#include "exec/cuda/walk/walks.h"

#include <algorithm>
#include <utility>

namespace espalier {
namespace {

constexpr size_t static_shared_bytes = 16384 + 8192 + 1024;  // of the kernel, and what the system takes

unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

constexpr unsigned warps = walk::threads / 32;

// The columns of a fast product fall into pieces of p.tiles tiles, its rows into groups of 32.
unsigned pieces(const walk::Phase& p) { return ceil_div(p.n / p.parts, p.tiles / p.parts * 8); }
unsigned groups(const walk::Phase& p) { return ceil_div(p.rows, 32); }

// Few columns for a block, and many warps for each, unless the blocks are too few for that.
void choose_tiles(walk::Phase& p, unsigned parts, unsigned blocks) {
  p.parts = p.tiles = parts;
  while (p.tiles * 2 <= warps && pieces(p) * groups(p) > blocks) p.tiles *= 2;
}

// How much a block has to do for a product, in units of about a tenth of a microsecond; found by measuring.
double work(const walk::Phase& p, unsigned blocks) {
  if ((p.flags & walk::fast) == 0)
    return ceil_div(ceil_div(p.rows, 8) * ceil_div(p.n, 32), blocks) * static_cast<double>(p.k) / 8;
  const unsigned heights = std::min(ceil_div(p.rows, 16), 2u), shares = warps / p.tiles;
  return ceil_div(pieces(p) * groups(p), blocks) * static_cast<double>(ceil_div(p.k, 16 * shares)) *
         (1 + heights / 2.0);
}

// Memory that rows reach over.
struct Reach {
  const float* begin;
  const float* end;
  Reach(const float* data, long long stride, unsigned rows, unsigned size)
      : begin(data), end(data + stride * (rows - 1) + size) {}
  bool meets(const Reach& other) const { return begin < other.end && other.begin < end; }
};
Reach reach_of_x(const walk::Phase& p) { return {p.x, p.x_stride, p.rows, p.k}; }
Reach reach_of_out(const walk::Phase& p) { return {p.out, p.out_stride, p.rows, p.n}; }

// Whether the columns that a block has computed are all that the run needs of the product: it reads it in parts of its
// own size, element by element.
bool can_run_behind(const walk::Phase& product, const Run& run, unsigned rows,
                    std::span<const walk::Operand> operands) {
  const bool even =
      product.rows == rows && run.size % 8 == 0 && product.n % run.size == 0 && product.n / run.size <= warps;
  if ((product.flags & walk::fast) == 0 || !even) return false;
  for (size_t k = 0; k < operands.size(); ++k) {
    const walk::Operand& o = operands[k];
    const bool result = k >= run.in.size(), scalar = !result && run.in[k].scalar;
    const Reach reach(o.data, o.stride, rows, scalar ? 1 : run.size);
    if (result && (reach.meets(reach_of_x(product)) || reach.meets(reach_of_out(product)))) return false;
    if (result || !reach.meets(reach_of_out(product))) continue;
    if (scalar || o.stride != product.out_stride || o.data < product.out || (o.data - product.out) % run.size != 0)
      return false;
  }
  return true;
}

// Above, launches of their own are faster.
constexpr double most_work = 128;

bool aligned16(const void* data, long long stride) {
  return (reinterpret_cast<uintptr_t>(data) | static_cast<uintptr_t>(stride) * sizeof(float)) % 16 == 0;
}

}  // namespace

CudaWalks::CudaWalks(CudaDevice& device, Precision precision, cudaStream_t stream)
    : device_(device), precision_(precision), stream_(stream) {
  device.use();
  check(cudaMemsetAsync(arrived_.need(1), 0, sizeof(unsigned), stream), "a walk's counter");
}

void CudaWalks::begin() {
  walks_.clear();
  phases_.clear();
  operands_.clear();
  functions_.clear();
  open_ = {};
  kept_phases_ = kept_operands_ = kept_functions_ = 0;
  flops_ = 0;
}

void CudaWalks::gather(uint32_t first, uint32_t count) {
  walk::Phase p{};
  p.kind = walk::gather_phase;
  p.first = first;
  p.count = count;
  phases_.push_back(p);
}

bool CudaWalks::product(const walk::Phase& given, double flops) {
  walk::Phase p = given;
  p.kind = walk::product_phase;
  const bool fast = precision_ != Precision::f32 && p.k % 16 == 0 && aligned16(p.x, p.x_stride) &&
                    (aligned16(p.w, p.k) || (p.flags & walk::transposed) != 0);
  if (fast) p.flags |= walk::fast;
  const auto blocks = static_cast<unsigned>(device_.multiprocessors);
  choose_tiles(p, 1, blocks);
  if (work(p, blocks) > most_work) return false;
  if (walk::Phase* const before = last_product(); before != nullptr && needs_none_on_its_way(p))
    before->flags |= walk::goes_on;
  phases_.push_back(p);
  flops_ += flops;
  return true;
}

void CudaWalks::run(const Run& run, unsigned lanes, unsigned rows, std::span<const walk::Operand> operands,
                    uint64_t shadowed) {
  const walk::Function function{&run, lanes, shadowed};
  auto it = std::ranges::find(functions_, function);
  if (it == functions_.end()) it = functions_.insert(it, function);
  const auto number = static_cast<int>(it - functions_.begin());
  const auto first = static_cast<unsigned>(operands_.size());
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  if (walk::Phase* const product = last_product();
      product != nullptr && can_run_behind(*product, run, rows, operands)) {
    const bool alone = phases_.size() == kept_phases_ + 1 || (phases_[phases_.size() - 2].flags & walk::goes_on) == 0;
    if (alone) {  // others that it went on from may not be done, and the run may need them
      choose_tiles(*product, product->n / run.size, static_cast<unsigned>(device_.multiprocessors));
      product->flags |= walk::with_run;
      product->function = number;
      product->first = first;
      return;
    }
  }
  walk::Phase p{};
  p.kind = walk::run_phase;
  p.function = number;
  p.rows = rows;
  p.first = first;
  phases_.push_back(p);
}

// Products that went on from each other may all still be on their way: one behind them that reads or adds to what any
// of them writes has to wait.
bool CudaWalks::needs_none_on_its_way(const walk::Phase& p) const {
  for (size_t i = phases_.size(); i-- > kept_phases_;) {
    const walk::Phase& before = phases_[i];
    if (i + 1 < phases_.size() && (before.flags & walk::goes_on) == 0) break;  // it was waited for
    if (reach_of_out(before).meets(reach_of_x(p)) || reach_of_out(before).meets(reach_of_out(p))) return false;
  }
  return true;
}

// The product that was offered last, if nothing came behind it.
walk::Phase* CudaWalks::last_product() {
  if (phases_.size() == kept_phases_ || phases_.back().kind != walk::product_phase ||
      (phases_.back().flags & walk::with_run) != 0)
    return nullptr;
  return &phases_.back();
}

void CudaWalks::end_step(uint32_t step) {
  if (open_.steps == 0) {
    open_.first_step = step;
    open_.first_phase = static_cast<unsigned>(kept_phases_);
    open_.first_operand = static_cast<unsigned>(kept_operands_);
  }
  ++open_.steps;
  open_.product_flops += flops_;
  flops_ = 0;
  kept_phases_ = phases_.size();
  kept_operands_ = operands_.size();
  kept_functions_ = functions_.size();
}

void CudaWalks::drop_step() {
  flops_ = 0;
  phases_.resize(kept_phases_);
  operands_.resize(kept_operands_);
  functions_.resize(kept_functions_);
  close();
}

void CudaWalks::end() { drop_step(); }

// Few steps are not worth a kernel of their own, which must be compiled once.
void CudaWalks::close() {
  constexpr uint32_t least_steps = 4;
  if (open_.steps >= least_steps && kept_phases_ > open_.first_phase) {
    sort_functions();
    keep_weights();
    open_.operands = static_cast<unsigned>(kept_operands_) - open_.first_operand;
    open_.phases = static_cast<unsigned>(kept_phases_) - open_.first_phase;
    for (unsigned i = 0; i + 1 < open_.phases; ++i)
      open_.meetings += (phases_[open_.first_phase + i].flags & walk::goes_on) == 0;
    walk::Products products;
    for (unsigned i = 0; i < open_.phases; ++i)
      if (const walk::Phase& p = phases_[open_.first_phase + i]; p.kind == walk::product_phase)
        ((p.flags & walk::fast) != 0 ? products.fast : products.plain) = true;
    std::vector<uint64_t> key{uint64_t{products.fast} * 2 + uint64_t{products.plain}};
    for (const walk::Function& f : functions_) key.push_back(f.run->serial * 8 + f.lanes);
    CUfunction& kernel = kernels_[key];
    if (kernel == nullptr) {
      const CUfunction made = device_.kernels.get(walk::source(functions_, products), walk::kernel_name);
      cuda_driver().check(
          cuda_driver().cuFuncSetAttribute(made, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                           static_cast<int>(device_.shared_bytes - static_shared_bytes)),
          "shared memory of a walk");
      kernel = made;
    }
    open_.kernel = kernel;
    walks_.push_back(open_);
  } else if (open_.steps > 0) {
    phases_.resize(kept_phases_ = open_.first_phase);
    operands_.resize(kept_operands_ = open_.first_operand);
  }
  open_ = {};
  functions_.clear();
  kept_functions_ = 0;
}

// So that walks of the same functions are one kernel, whichever came first.
void CudaWalks::sort_functions() {
  std::vector<walk::Function> sorted = functions_;
  std::ranges::sort(sorted, {}, [](const walk::Function& f) { return std::pair(f.run->serial, f.lanes); });
  for (size_t i = open_.first_phase; i < kept_phases_; ++i)
    if (walk::Phase& p = phases_[i]; p.kind == walk::run_phase || (p.flags & walk::with_run) != 0)
      p.function =
          static_cast<int>(std::ranges::find(sorted, functions_[static_cast<size_t>(p.function)]) - sorted.begin());
  functions_ = std::move(sorted);
}

// A weight that several products of the walk need is brought into shared memory first, each block's columns of it, as
// far as there is room: the caches do not hold a large one from step to step.
void CudaWalks::keep_weights() {
  struct Weight {
    walk::Phase load;
    unsigned products = 0;
  };
  const auto blocks = static_cast<unsigned>(device_.multiprocessors);
  const auto can_be_kept = [&](const walk::Phase& p) {  // a block has the same columns whenever it comes by
    return p.kind == walk::product_phase && (p.flags & walk::fast) != 0 && groups(p) == 1 && pieces(p) <= blocks;
  };
  const auto same = [](const walk::Phase& a, const walk::Phase& b) {
    return a.w == b.w && a.n == b.n && a.k == b.k && a.parts == b.parts && a.tiles == b.tiles &&
           ((a.flags ^ b.flags) & walk::transposed) == 0;
  };
  std::vector<Weight> weights;
  const std::span<walk::Phase> all = std::span(phases_).subspan(open_.first_phase, kept_phases_ - open_.first_phase);
  for (const walk::Phase& p : all)
    if (can_be_kept(p)) {
      auto it = std::ranges::find_if(weights, [&](const Weight& w) { return same(w.load, p); });
      if (it == weights.end()) it = weights.insert(it, {p});
      ++it->products;
    }
  std::erase_if(weights, [](const Weight& w) { return w.products < 2; });
  unsigned used = 0;
  for (Weight& w : weights) {
    const unsigned size = w.load.tiles * w.load.k * 2;  // float4: 8 columns
    if ((used + size) * sizeof(float) * 4 > device_.shared_bytes - static_shared_bytes) continue;
    w.load.kind = walk::load_phase;
    w.load.slice = used;
    w.load.flags = (w.load.flags & walk::transposed) | walk::goes_on;
    used += size;
    for (walk::Phase& p : all)
      if (can_be_kept(p) && same(w.load, p)) {
        p.slice = w.load.slice;
        p.flags |= walk::kept;
      }
  }
  open_.shared_bytes = static_cast<unsigned>(used * sizeof(float) * 4);
  auto at = phases_.begin() + open_.first_phase;
  for (const Weight& w : weights)
    if (w.load.kind == walk::load_phase) {
      at = phases_.insert(at, w.load);
      ++kept_phases_;
    }
}

void CudaWalks::launch(const Walk& w, Places places) {
  const walk::Phase* phases = places.phases + w.first_phase;
  unsigned count = w.phases, first_operand = w.first_operand, operands = w.operands, target = target_;
  unsigned* arrived = arrived_.data();
  void* arguments[] = {&phases,         &count,          &places.base,     &places.sources,
                       &places.offsets, &places.gathers, &places.operands, &first_operand,
                       &operands,       &arrived,        &target,          &places.shadow};
  const auto blocks = static_cast<unsigned>(device_.multiprocessors);
  cuda_driver().check(cuda_driver().cuLaunchCooperativeKernel(w.kernel, blocks, 1, 1, walk::threads, 1, 1,
                                                              w.shared_bytes, stream_, arguments),
                      "a walk");
  target_ += blocks * w.meetings;
}

}  // namespace espalier
