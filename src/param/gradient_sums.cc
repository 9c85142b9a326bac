// Addition of gradient entries, dense or sparse, on the host or on a device.
#include <algorithm>

#include "param/gradient_state.h"

namespace espalier::detail {
namespace {

// Merges the sorted row indices `a` and `b` into `rows`; the pairs give the position of each row in a and in b, or -1.
std::vector<DeviceMemory::RowPair> merge(const AlignedVector<int32_t>& a, const AlignedVector<int32_t>& b,
                                         AlignedVector<int32_t>& rows) {
  std::vector<DeviceMemory::RowPair> pairs;
  for (size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    const bool from_a = k == b.size() || (i < a.size() && a[i] <= b[k]);
    const bool from_b = i == a.size() || (k < b.size() && b[k] <= a[i]);
    rows.push_back(from_a ? a[i] : b[k]);
    pairs.push_back({from_a ? static_cast<int32_t>(i) : -1, from_b ? static_cast<int32_t>(k) : -1});
    i += from_a;
    k += from_b;
  }
  return pairs;
}

void add_sparse(DeviceMemory& memory, GradientEntry& to, const GradientEntry& from) {
  const size_t width = to.parameter->row_size();
  AlignedVector<int32_t> rows;
  const auto pairs = merge(to.rows.host(), from.rows.host(), rows);
  MirroredFloats sum;
  memory.merge_rows(to.values.on(memory), from.values.on(memory), pairs, width,
                    sum.renew_on(memory, rows.size() * width));
  to.values = std::move(sum);
  to.rows.host_to_write() = std::move(rows);
}

// Merges in place, from the back, so that no row is overwritten before it is read.
void add_sparse(GradientEntry& to, const GradientEntry& from) {
  const size_t width = to.parameter->row_size();
  AlignedVector<int32_t>& rows = to.rows.host_to_write();
  AlignedVector<float>& values = to.values.host_to_write();
  const AlignedVector<int32_t>& more_rows = from.rows.host();
  size_t a = rows.size(), b = more_rows.size(), n = 0;
  for (size_t i = 0, k = 0; i < a || k < b; ++n) {
    const bool both = i < a && k < b && rows[i] == more_rows[k];
    const bool ours = k == b || (i < a && rows[i] <= more_rows[k]);
    i += ours;
    k += both || !ours;
  }
  rows.resize(n);
  values.resize(n * width);
  while (b > 0) {
    const bool both = a > 0 && rows[a - 1] == more_rows[b - 1];
    const bool ours = a > 0 && rows[a - 1] >= more_rows[b - 1];
    --n;
    if (ours) --a;
    if (both || !ours) --b;
    const float* old = values.data() + a * width;
    const float* more = from.values.host().data() + b * width;
    float* sum = values.data() + n * width;
    rows[n] = ours ? rows[a] : more_rows[b];
    for (size_t k = 0; k < width; ++k) sum[k] = both ? old[k] + more[k] : ours ? old[k] : more[k];
  }
}

void add_rows(const GradientEntry& from, AlignedVector<float>& to) {
  const size_t width = from.parameter->row_size();
  const AlignedVector<int32_t>& rows = from.rows.host();
  const float* values = from.values.host().data();
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t k = 0; k < width; ++k) to[static_cast<size_t>(rows[i]) * width + k] += values[i * width + k];
}
void add_rows(DeviceMemory& memory, const GradientEntry& from, float* to) {
  if (from.rows.size() > 0)
    memory.add_rows(from.values.on(memory), from.rows.on(memory), from.rows.size(), from.parameter->row_size(), to);
}

void set_to_zero(DeviceMemory& memory, GradientEntry& entry) {
  if (entry.unset) memory.fill(entry.values.to_write_on(memory), entry.values.size(), 0);
  entry.unset = false;
}

void add(DeviceMemory& memory, GradientEntry& to, const GradientEntry& from) {
  if (to.sparse && from.sparse) return add_sparse(memory, to, from);
  to.values.on(memory);  // so that the following steps run on this device
  make_dense(to);
  const size_t n = to.values.size();
  if (to.unset && !from.sparse) {
    memory.copy(from.values.on(memory), n, to.values.to_write_on(memory));
    to.unset = false;
    return;
  }
  set_to_zero(memory, to);
  float* const sum = to.values.to_write_on(memory);
  if (from.sparse) return add_rows(memory, from, sum);
  const DeviceMemory::Sum part{sum, from.values.on(memory), n};
  memory.add({&part, 1});
}

DeviceMemory* device_of(const GradientEntry& to, const GradientEntry& from) {
  return to.values.device() != nullptr ? to.values.device() : from.values.device();
}

}  // namespace

void make_dense(GradientEntry& entry) {
  if (!entry.sparse) return;
  MirroredFloats dense;
  const size_t n = entry.parameter->size();
  if (DeviceMemory* memory = entry.values.device()) {
    float* const to = dense.renew_on(*memory, n);
    memory->fill(to, n, 0);
    add_rows(*memory, entry, to);
  } else {
    dense.host_to_write().resize(n);
    add_rows(entry, dense.host_to_write());
  }
  entry.values = std::move(dense);
  entry.rows.renew(0);
  entry.sparse = false;
}

void set_to_zero(GradientEntry& entry) {
  if (DeviceMemory* memory = entry.values.device()) return set_to_zero(*memory, entry);
  if (entry.unset) std::ranges::fill(entry.values.host_to_write(), 0.f);
  entry.unset = false;
}

void add(GradientEntry& to, const GradientEntry& from) {
  if (DeviceMemory* memory = device_of(to, from)) return add(*memory, to, from);
  if (to.sparse && from.sparse) return add_sparse(to, from);
  make_dense(to);
  AlignedVector<float>& sum = to.values.host_to_write();
  if (to.unset && !from.sparse) {
    sum = from.values.host();
    to.unset = false;
    return;
  }
  set_to_zero(to);
  if (from.sparse) return add_rows(from, sum);
  const AlignedVector<float>& more = from.values.host();
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

void add(GradientState& to, const GradientState& from) {
  constexpr size_t stretch = size_t{1} << 14;  // elements per work item; fewer would not pay for a thread
  // Dense sums on the same device (or the host) are collected for one launch, or shared between threads.
  auto& parts = to.parts;
  DeviceMemory* place = nullptr;
  auto run = [&] {
    if (place != nullptr) return parts.empty() ? void() : place->add(parts);
    auto some = [&](size_t first, size_t last) {
      for (size_t p = first; p < last; ++p)
        for (size_t e = 0; e < parts[p].n; ++e) parts[p].to[e] += parts[p].from[e];
    };
    if (to.workers)
      to.workers->share(parts.size(), some);
    else
      some(0, parts.size());
  };
  parts.clear();
  for (size_t i = 0; i < from.used; ++i) {
    const GradientEntry& source = from.entries[i];
    GradientEntry& target = to.entry(source.parameter, source.sparse);
    if (target.sparse || source.sparse || target.unset) {
      add(target, source);
      continue;
    }
    if (DeviceMemory* other = device_of(target, source); other != place) {
      run();
      parts.clear();
      place = other;
    }
    const size_t n = source.values.size();
    if (place != nullptr) {
      parts.push_back({target.values.to_write_on(*place), source.values.on(*place), n});
      continue;
    }
    float* const sum = target.values.host_to_write().data();
    const float* const more = source.values.host().data();
    for (size_t at = 0; at < n; at += stretch) parts.push_back({sum + at, more + at, std::min(stretch, n - at)});
  }
  run();
}

// Accumulates in double, in eight independent sums that the compiler vectorises.
double sum_of_squares(std::span<const float> values) {
  constexpr size_t lanes = 8;
  double sums[lanes] = {};
  const size_t whole = values.size() / lanes * lanes;
  const float* v = values.data();
  for (size_t i = 0; i < whole; i += lanes)
    for (size_t k = 0; k < lanes; ++k) sums[k] += static_cast<double>(v[i + k]) * static_cast<double>(v[i + k]);
  for (size_t i = whole; i < values.size(); ++i) sums[0] += static_cast<double>(v[i]) * static_cast<double>(v[i]);
  double sum = 0;
  for (double s : sums) sum += s;
  return sum;
}

}  // namespace espalier::detail
