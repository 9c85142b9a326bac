#include "exec/cuda/bf16/copy.h"

#include <algorithm>

#include "exec/cuda/check.h"

namespace espalier {

Bf16Copy::Bf16Copy(const CudaDevice& device, CudaMemory& memory, const CudaArena& arena, bool on, cudaStream_t stream)
    : memory_(memory), arena_(arena), stream_(stream) {
  if (on) copy_.emplace(device);
}

void Bf16Copy::begin(const Plan& plan) {
  if (!on()) return;
  copy_->grow(arena_.committed() / 2);
  unrounded_.begin(plan);
  weights_.clear();
  size_t size = 0;
  for (const auto& [program, factors] : unrounded_.factors())
    for (const detail::ParameterStorage* storage : factors.weights) {
      const float* const from = storage->data.on(memory_);
      if (std::ranges::find(weights_, from, &Weight::from) != weights_.end()) continue;
      weights_.push_back({from, storage->size(), size});
      size += (storage->size() + 7) / 8 * 8;
    }
  rounded_weights_.need(size);
}

void Bf16Copy::poison(Range r) const {
  const uint64_t there = bytes() / sizeof(uint16_t);
  if (r.offset >= there) return;
  check(cudaMemsetAsync(base() + r.offset, 0xff, std::min(r.size, there - r.offset) * sizeof(uint16_t), stream_),
        "poison");
}

uint64_t Bf16Copy::number() const {
  return on() ? reinterpret_cast<uint64_t>(base()) - reinterpret_cast<uint64_t>(arena_.base()) / 2 : 0;
}
uint64_t Bf16Copy::of_gathers(const PlanStep& step) const {
  return on() && unrounded_.factors_of(*step.program).gathers[step.backward ? 1 : 0] ? number() : 0;
}
SaturatingMask Bf16Copy::results(const Program& program, const FusedKernel& fused) const {
  return on() ? unrounded_.factors_of(program).results(fused) : SaturatingMask();
}

void Bf16Copy::read_in_place(const Plan& plan, const PlanStep& step, const Layout& layout) {
  if (on()) unrounded_.read_in_place(plan, step, layout);
}
void Bf16Copy::wrote(const Plan& plan, const PlanStep& step, const RowsOf& out, const Layout& layout) {
  if (on()) unrounded_.wrote(plan, step, out, layout);
}

void Bf16Copy::round_rows() {
  if (unrounded_.rows().empty()) return;
  cuda_round(arena_.base(), unrounded_.rows(), base(), stream_);
  unrounded_.clear();
}

// The rounded copy of a factor, in the copy of the arena or of a weight; null if there is none.
const uint16_t* Bf16Copy::rounded(const float* p) {
  if (p >= arena_.base() && p < arena_.base() + arena_.committed() / sizeof(float)) return base() + (p - arena_.base());
  for (Weight& w : weights_) {
    if (p < w.from || p >= w.from + w.size) continue;
    uint16_t* const to = rounded_weights_.data() + w.at;
    if (!w.rounded) {
      constexpr uint32_t width = 1024;  // rounds the weight as rows of this width: sizes in RowsAt have 32 bits
      const auto rows = static_cast<uint32_t>(w.size / width), rest = static_cast<uint32_t>(w.size % width);
      const RowsAt parts[] = {{0, width, rows, width}, {uint64_t{rows} * width, width, 1, rest}};
      cuda_round(w.from, parts, to, stream_);
      w.rounded = true;
    }
    return to + (p - w.from);
  }
  return nullptr;
}

void Bf16Copy::round(Product& p) {
  if (!on()) return;
  const auto lies_evenly = [](const auto& m, const uint16_t* data) {
    return reinterpret_cast<uintptr_t>(data) % 16 == 0 && m.stride % 8 == 0 && m.apart % 8 == 0;
  };
  round_rows();
  const uint16_t *const a = rounded(p.a.data), *const b = rounded(p.b.data);
  const bool even = a != nullptr && b != nullptr && lies_evenly(p.a, a) && lies_evenly(p.b, b);
  p.rounded_a = even ? a : nullptr;
  p.rounded_b = even ? b : nullptr;
}

}  // namespace espalier
