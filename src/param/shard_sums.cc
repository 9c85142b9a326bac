#include "param/shard_sums.h"

#include <algorithm>
#include <bit>

namespace espalier::detail {
namespace {

constexpr size_t part_elements = size_t{1} << 12;  // fewer would not pay for a thread
constexpr uint32_t no_writer = ~uint32_t{0};

}  // namespace

void ShardSums::add(GradientState& to, std::span<const std::shared_ptr<GradientState>> shards) {
  if (shards.empty()) return;
  const auto on_device = [](const GradientState& state) { return state.device() != nullptr; };
  if (on_device(to) || std::ranges::any_of(shards, [&](const auto& shard) { return on_device(*shard); })) {
    for (const auto& shard : shards) detail::add(to, *shard);
    return;
  }
  clear();
  for (const auto& shard : shards)
    for (size_t i = 0; i < shard->used; ++i)
      static_cast<void>(to.entry(shard->entries[i].parameter, shard->entries[i].sparse));
  for (size_t i = 0; i < to.used; ++i) plan(to.entries[i], shards);
  const auto some = [&](size_t first, size_t last) {
    for (size_t p = first; p < last; ++p) add(parts_[p]);
  };
  if (to.workers)
    to.workers->share(parts_.size(), some);
  else
    some(0, parts_.size());
}

void ShardSums::clear() {
  sources_.clear();
  sums_.clear();
  parts_.clear();
  writers_.clear();
}

// An entry that is dense in one shard and sparse in another, or that only later shards have set, is added here.
void ShardSums::plan(GradientEntry& entry, std::span<const std::shared_ptr<GradientState>> shards) {
  const auto each = [&](auto f) {
    for (const auto& shard : shards)
      if (const GradientEntry* e = shard->find(entry.parameter.get()); e != nullptr && !e->unset) f(*e);
  };
  bool alike = !entry.unset;
  each([&](const GradientEntry& e) { alike = alike && e.sparse == entry.sparse; });
  if (!alike) return each([&](const GradientEntry& e) { detail::add(entry, e); });

  Sum sum;
  sum.first_source = sources_.size();
  sum.sparse = entry.sparse;
  if (entry.sparse) {
    entry.replaced_rows.swap(entry.rows.host_to_write());  // the sum is not formed in place
    entry.replaced_values.swap(entry.values.host_to_write());
    sources_.push_back({entry.replaced_rows, entry.replaced_values.data()});
  }
  each([&](const GradientEntry& e) { sources_.push_back({e.rows.host(), e.values.host().data()}); });
  sum.last_source = sources_.size();
  if (entry.sparse) plan_sparse(entry, sum);
  sum.to = entry.values.host_to_write().data();
  const size_t n = entry.sparse ? sum.rows.size() : entry.values.size();
  const size_t stretch = std::max<size_t>(part_elements / std::max<size_t>(sum.width, 1), 1);
  for (size_t at = 0; at < n; at += stretch) parts_.push_back({sums_.size(), at, std::min(n, at + stretch)});
  sums_.push_back(sum);
}

void ShardSums::plan_sparse(GradientEntry& entry, Sum& sum) {
  sum.width = entry.parameter->row_size();
  AlignedVector<int32_t>& rows = entry.rows.host_to_write();
  const Shape& table = entry.parameter->shape;
  unite(sum, table.rank > 0 ? static_cast<size_t>(table[0]) : 1, rows);
  entry.values.host_to_write().resize(rows.size() * sum.width);
  sum.rows = rows;
  sum.first_writer = writers_.size();
  find_writers(sum);
}

// The rows of all sources, ascending; they are below `limit`.
void ShardSums::unite(const Sum& sum, size_t limit, AlignedVector<int32_t>& rows) {
  constexpr size_t bits = 64;
  is_in_.assign((limit + bits - 1) / bits, 0);
  for (size_t s = sum.first_source; s < sum.last_source; ++s)
    for (const int32_t row : sources_[s].rows) is_in_[static_cast<size_t>(row) / bits] |= uint64_t{1} << (row % bits);
  rows.clear();
  for (size_t word = 0; word < is_in_.size(); ++word)
    for (uint64_t left = is_in_[word]; left != 0; left &= left - 1)
      rows.push_back(static_cast<int32_t>(word * bits) + std::countr_zero(left));
}

void ShardSums::find_writers(const Sum& sum) {
  writers_.resize(sum.first_writer + sum.rows.size(), no_writer);
  for (size_t s = sum.first_source; s < sum.last_source; ++s) {
    uint32_t* writer = writers_.data() + sum.first_writer;
    const int32_t* row = sum.rows.data();
    for (const int32_t wanted : sources_[s].rows) {
      while (*row != wanted) ++row, ++writer;
      if (*writer == no_writer) *writer = static_cast<uint32_t>(s);
    }
  }
}

void ShardSums::add(const Part& part) const {
  const Sum& sum = sums_[part.sum];
  sum.sparse ? add_rows(sum, part.first, part.last) : add_dense(sum, part.first, part.last);
}

void ShardSums::add_dense(const Sum& sum, size_t first, size_t last) const {
  float* const to = sum.to;
  for (size_t s = sum.first_source; s < sum.last_source; ++s) {
    const float* const more = sources_[s].values;
    for (size_t e = first; e < last; ++e) to[e] += more[e];
  }
}

void ShardSums::add_rows(const Sum& sum, size_t first, size_t last) const {
  const size_t width = sum.width;
  for (size_t s = sum.first_source; s < sum.last_source; ++s) {
    const Source& source = sources_[s];
    auto k = static_cast<size_t>(std::ranges::lower_bound(source.rows, sum.rows[first]) - source.rows.begin());
    for (size_t i = first; i < last && k < source.rows.size(); ++i) {
      if (sum.rows[i] != source.rows[k]) continue;
      const float* const more = source.values + k++ * width;
      float* const to = sum.to + i * width;
      if (writers_[sum.first_writer + i] == s)
        std::copy_n(more, width, to);
      else
        for (size_t e = 0; e < width; ++e) to[e] += more[e];
    }
  }
}

}  // namespace espalier::detail
