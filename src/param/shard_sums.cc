// Adds the gradients of many shards at once: every thread sums a part of the elements over all shards. The order of
// additions is that of adding one shard after the other, so the bits are the same.
#include <algorithm>
#include <bit>

#include "param/gradient_state.h"

namespace espalier::detail {
namespace {

// Elements or rows of one parameter, which one thread sums.
struct SumPart {
  size_t sum = 0;  // index of a DenseSum or SparseSum
  bool sparse = false;
  size_t first = 0, last = 0;
};

struct DenseSum {
  float* to = nullptr;
  std::vector<const float*> from;

  void add(size_t first, size_t last) const {
    for (const float* more : from)
      for (size_t e = first; e < last; ++e) to[e] += more[e];
  }
};

struct SparseSum {
  size_t width = 0;
  std::span<const int32_t> rows;  // of the sum
  float* to = nullptr;
  struct Source {
    std::span<const int32_t> rows;
    const float* values = nullptr;
  };
  std::vector<Source> from;  // in the order of the shards, first the one that is replaced by the sum

  void add(size_t first, size_t last) const {
    std::vector<bool> written(last - first);
    for (const Source& source : from) {
      size_t k = static_cast<size_t>(std::ranges::lower_bound(source.rows, rows[first]) - source.rows.begin());
      for (size_t i = first; i < last && k < source.rows.size(); ++i) {
        if (rows[i] != source.rows[k]) continue;
        const float* const more = source.values + k++ * width;
        float* const sum = to + i * width;
        for (size_t e = 0; e < width; ++e) sum[e] = written[i - first] ? sum[e] + more[e] : more[e];
        written[i - first] = true;
      }
    }
  }
};

// All rows of `from`, ascending; they are below `limit`.
void unite(const std::vector<SparseSum::Source>& from, size_t limit, AlignedVector<int32_t>& rows) {
  constexpr size_t bits = 64;
  std::vector<uint64_t> is_in((limit + bits - 1) / bits);
  for (const SparseSum::Source& source : from)
    for (const int32_t row : source.rows) is_in[static_cast<size_t>(row) / bits] |= uint64_t{1} << (row % bits);
  rows.clear();
  for (size_t word = 0; word < is_in.size(); ++word)
    for (uint64_t left = is_in[word]; left != 0; left &= left - 1)
      rows.push_back(static_cast<int32_t>(word * bits) + std::countr_zero(left));
}

// The entries of a parameter in all shards that have one and have set it.
std::vector<const GradientEntry*> entries_of(const ParameterStorage& parameter,
                                             std::span<const std::shared_ptr<GradientState>> shards) {
  std::vector<const GradientEntry*> all;
  for (const auto& shard : shards)
    if (const GradientEntry* e = shard->find(&parameter); e != nullptr && !e->unset) all.push_back(e);
  return all;
}

class ShardSums {
 public:
  ShardSums(GradientState& to, std::span<const std::shared_ptr<GradientState>> shards) : to_(to) {
    for (const auto& shard : shards)
      for (size_t i = 0; i < shard->used; ++i)
        static_cast<void>(to.entry(shard->entries[i].parameter, shard->entries[i].sparse));
    for (size_t i = 0; i < to.used; ++i) {
      GradientEntry& entry = to.entries[i];
      const auto more = entries_of(*entry.parameter, shards);
      const auto is_sparse = [](const GradientEntry* e) { return e->sparse; };
      if (entry.sparse && std::ranges::all_of(more, is_sparse))
        plan_sparse(entry, more);
      else if (!entry.sparse && !entry.unset && std::ranges::none_of(more, is_sparse))
        plan_dense(entry, more);
      else
        for (const GradientEntry* e : more) add(entry, *e);
    }
  }

  void run() {
    const auto some = [&](size_t first, size_t last) {
      for (size_t p = first; p < last; ++p) {
        const SumPart& part = parts_[p];
        part.sparse ? sparse_[part.sum].add(part.first, part.last) : dense_[part.sum].add(part.first, part.last);
      }
    };
    if (to_.workers)
      to_.workers->share(parts_.size(), some);
    else
      some(0, parts_.size());
  }

 private:
  static constexpr size_t part_elements = size_t{1} << 12;  // fewer would not pay for a thread

  void cut(size_t sum, bool sparse, size_t n, size_t stretch) {
    for (size_t at = 0; at < n; at += stretch) parts_.push_back({sum, sparse, at, std::min(n, at + stretch)});
  }
  void plan_dense(GradientEntry& entry, const std::vector<const GradientEntry*>& more) {
    DenseSum sum{entry.values.host_to_write().data(), {}};
    for (const GradientEntry* e : more) sum.from.push_back(e->values.host().data());
    cut(dense_.size(), false, entry.values.size(), part_elements);
    dense_.push_back(std::move(sum));
  }
  void plan_sparse(GradientEntry& entry, const std::vector<const GradientEntry*>& more) {
    if (more.empty()) return;
    entry.replaced_rows.swap(entry.rows.host_to_write());
    entry.replaced_values.swap(entry.values.host_to_write());
    SparseSum sum;
    sum.width = entry.parameter->row_size();
    sum.from.push_back({entry.replaced_rows, entry.replaced_values.data()});
    for (const GradientEntry* e : more) sum.from.push_back({e->rows.host(), e->values.host().data()});
    AlignedVector<int32_t>& rows = entry.rows.host_to_write();
    unite(sum.from, entry.parameter->size() / std::max<size_t>(sum.width, 1), rows);
    entry.values.host_to_write().resize(rows.size() * sum.width);
    sum.rows = rows;
    sum.to = entry.values.host_to_write().data();
    cut(sparse_.size(), true, rows.size(), std::max<size_t>(part_elements / std::max<size_t>(sum.width, 1), 1));
    sparse_.push_back(std::move(sum));
  }

  GradientState& to_;
  std::vector<DenseSum> dense_;
  std::vector<SparseSum> sparse_;
  std::vector<SumPart> parts_;
};

}  // namespace

void add_shards(GradientState& to, std::span<const std::shared_ptr<GradientState>> shards) {
  const auto on_device = [](const GradientState& state) { return state.device() != nullptr; };
  if (on_device(to) || std::ranges::any_of(shards, [&](const auto& shard) { return on_device(*shard); })) {
    for (const auto& shard : shards) add(to, *shard);
    return;
  }
  ShardSums(to, shards).run();
}

}  // namespace espalier::detail
