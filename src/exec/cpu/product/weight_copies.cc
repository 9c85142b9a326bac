#include "exec/cpu/product/weight_copies.h"

#include <algorithm>
#include <cstring>

#include "param/parameter_values.h"

namespace espalier {
namespace {

constexpr int64_t side = 4;
using Four = float __attribute__((vector_size(16)));  // available on every machine, without a choice at run time

Four load(const float* from) {
  Four v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
void store(Four v, float* to) { std::memcpy(to, &v, sizeof v); }

// Transposes a block of 4 × 4; `n` and `m` are the strides.
void transpose_square(const float* from, int64_t n, float* to, int64_t m) {
  const Four a = load(from), b = load(from + n), c = load(from + 2 * n), d = load(from + 3 * n);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), to);
  store(__builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7), to + m);
  store(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), to + 2 * m);
  store(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7), to + 3 * m);
}

// In bands of 16 rows, so that cache lines are read and written completely before they are evicted.
void transpose(const float* from, int64_t m, int64_t n, float* to, int64_t stride) {
  constexpr int64_t band = 16;
  const int64_t whole_m = m / side * side, whole_n = n / side * side;
  for (int64_t first = 0; first < whole_m; first += band)
    for (int64_t j = 0; j < whole_n; j += side)
      for (int64_t i = first; i < std::min(first + band, whole_m); i += side)
        transpose_square(from + i * n + j, n, to + j * stride + i, stride);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = i < whole_m ? whole_n : 0; j < n; ++j) to[j * stride + i] = from[i * n + j];
}

void fill(WeightCopy& copy) {
  const auto& [data, m, n] = copy.of;
  if (copy.layout == WeightLayout::transposed) return transpose(data, m, n, copy.data.data(), copy.stride);
  for (int64_t i = 0; i < m; ++i) std::copy_n(data + i * n, n, copy.data.data() + i * copy.stride);
}

}  // namespace

// Frees the copies that were not needed with the previous version either.
void WeightCopies::enter(uint64_t version) {
  if (version == version_) return;
  std::erase_if(copies_, [&](const auto& copy) { return copy.use_count() == 1 && copy->version < version_; });
  version_ = version;
}

// An outdated copy of that size that no executor uses any more, or null.
std::shared_ptr<WeightCopy> WeightCopies::take_outdated(size_t size) {
  const auto found = std::ranges::find_if(copies_, [&](const auto& copy) {
    return copy.use_count() == 1 && copy->version != version_ && copy->data.size() == size;
  });
  if (found == copies_.end()) return nullptr;
  std::shared_ptr<WeightCopy> copy = std::move(*found);
  copies_.erase(found);
  return copy;
}

std::shared_ptr<const WeightCopy> WeightCopies::find_or_make(const StoredWeight& weight, WeightLayout layout,
                                                             uint64_t version) {
  std::unique_lock lock(mutex_);
  enter(version);
  for (const std::shared_ptr<WeightCopy>& copy : copies_)
    if (copy->version == version && copy->of == weight && copy->layout == layout) {
      const std::shared_ptr<WeightCopy> held = copy;
      lock.unlock();
      held->ready.wait(false);
      return held;
    }
  const bool turned = layout == WeightLayout::transposed;
  const int64_t stride = padded_columns(turned ? weight.m : weight.n);
  const auto size = static_cast<size_t>((turned ? weight.n : weight.m) * stride);
  std::shared_ptr<WeightCopy> copy = take_outdated(size);
  if (!copy) {
    copy = std::make_shared<WeightCopy>();
    copy->data.resize(size);
  }
  copy->of = weight;
  copy->layout = layout;
  copy->version = version;
  copy->stride = stride;
  copy->ready = false;
  copies_.push_back(copy);
  lock.unlock();
  fill(*copy);
  copy->ready = true;
  copy->ready.notify_all();
  return copy;
}

void UsedWeightCopies::begin() {
  used_.clear();  // if the last run failed
  version_ = detail::latest_parameter_version.load(std::memory_order_relaxed);
}

const WeightCopy& UsedWeightCopies::of(const StoredWeight& weight, WeightLayout layout) {
  for (const std::shared_ptr<const WeightCopy>& copy : used_)
    if (copy->of == weight && copy->layout == layout) return *copy;
  used_.push_back(shared_->find_or_make(weight, layout, version_));
  return *used_.back();
}

}  // namespace espalier
