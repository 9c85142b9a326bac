#include "exec/cuda/walk.h"

#include <algorithm>
#include <cstdlib>

namespace espalier {
namespace {

// How much a block has to do for a product, in units of about a tenth of a microsecond; found by measuring.
double work(const walk::Phase& p, bool fast, int blocks) {
  const auto tasks = [&](unsigned rows, unsigned columns) {
    const uint64_t all = uint64_t{(p.rows + rows - 1) / rows} * ((p.n + columns - 1) / columns);
    return static_cast<double>((all + static_cast<uint64_t>(blocks) - 1) / static_cast<uint64_t>(blocks));
  };
  if (!fast) return tasks(8, 32) * p.k / 8;
  const unsigned tiles = std::min((p.rows + 15) / 16, 4u);
  return tasks(64, 8) * (p.k / 128.0) * (1 + tiles / 2.0);
}

double most_work() {
  static const double most = [] {
    const char* given = std::getenv("ESPALIER_WALK");
    return given != nullptr ? std::atof(given) : 100.0;
  }();
  return most;
}

bool aligned16(const void* data, long long stride) {
  return (reinterpret_cast<uintptr_t>(data) | static_cast<uintptr_t>(stride) * sizeof(float)) % 16 == 0;
}

}  // namespace

CudaWalks::CudaWalks(CudaDevice& device, Precision precision, cudaStream_t stream)
    : device_(device), precision_(precision), stream_(stream) {
  device.use();
  check(cudaMemset(arrived_.need(1), 0, sizeof(unsigned)), "a walk's counter");
}

void CudaWalks::begin() {
  walks_.clear();
  phases_.clear();
  operands_.clear();
  functions_.clear();
  open_ = {};
  kept_phases_ = kept_operands_ = 0;
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
  if (work(p, fast, device_.multiprocessors) > most_work()) return false;
  phases_.push_back(p);
  flops_ += flops;
  return true;
}

void CudaWalks::run(const Run& run, unsigned lanes, unsigned rows, std::span<const walk::Operand> operands) {
  const walk::Function function{&run, lanes};
  auto it = std::ranges::find(functions_, function);
  if (it == functions_.end()) it = functions_.insert(it, function);
  walk::Phase p{};
  p.kind = walk::run_phase;
  p.function = static_cast<int>(it - functions_.begin());
  p.rows = rows;
  p.first = static_cast<unsigned>(operands_.size());
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  phases_.push_back(p);
}

void CudaWalks::end_step(uint32_t step) {
  if (open_.steps == 0) {
    open_.first_step = step;
    open_.first_phase = static_cast<unsigned>(kept_phases_);
  }
  ++open_.steps;
  open_.product_flops += flops_;
  flops_ = 0;
  kept_phases_ = phases_.size();
  kept_operands_ = operands_.size();
}

void CudaWalks::drop_step() {
  flops_ = 0;
  phases_.resize(kept_phases_);
  operands_.resize(kept_operands_);
  close();
}

void CudaWalks::end() { drop_step(); }

// One step alone is no walk.
void CudaWalks::close() {
  if (open_.steps > 1) {
    open_.phases = static_cast<unsigned>(kept_phases_) - open_.first_phase;
    std::vector<uint64_t> key;
    for (const walk::Function& f : functions_) key.push_back(f.run->serial * 8 + f.lanes);
    CUfunction& kernel = kernels_[key];
    if (kernel == nullptr) kernel = device_.kernels.get(walk::source(functions_), walk::kernel_name);
    open_.kernel = kernel;
    walks_.push_back(open_);
  } else if (open_.steps == 1) {
    phases_.resize(kept_phases_ = open_.first_phase);
  }
  open_ = {};
  functions_.clear();
}

void CudaWalks::launch(const Walk& w, Places places) {
  const walk::Phase* phases = places.phases + w.first_phase;
  unsigned count = w.phases, target = target_;
  unsigned* arrived = arrived_.data();
  void* arguments[] = {&phases,         &count,           &places.base, &places.sources, &places.offsets,
                       &places.gathers, &places.operands, &arrived,     &target};
  const auto blocks = static_cast<unsigned>(device_.multiprocessors);
  cuda_driver().check(
      cuda_driver().cuLaunchCooperativeKernel(w.kernel, blocks, 1, 1, walk::threads, 1, 1, 0, stream_, arguments),
      "a walk");
  target_ += blocks * (count - 1);  // as often as they meet
}

}  // namespace espalier
