#include "exec/cuda/launch/gradient_accumulator.h"

#include <algorithm>

#include "exec/cuda/launch/rows.h"

namespace espalier {

// All memory is allocated on the main stream, before the executor's stream waits for the main stream.
void GradientAccumulator::accumulate(const Plan& plan, detail::GradientState& to) {
  for (const Accumulate& a : plan.accumulations) to.entry(*a.parameter, is_sparse(a));
  resources_.upload.begin();
  sums_.clear();
  tables_.clear();
  for (size_t e = 0; e < to.used; ++e) {
    detail::GradientEntry& entry = to.entries[e];
    if (!entry.sparse) {
      float* elements = entry.unset ? entry.values.renew_on(resources_.memory, entry.parameter->size())
                                    : entry.values.to_write_on(resources_.memory);
      sums_.push_back({entry.parameter.get(), elements, entry.unset});
      entry.unset = false;
    }
    upload_table(plan, entry);
  }
  resources_.upload.send();
  resources_.memory.precede(resources_.stream);
  const MainStreamFollows follows(resources_);
  const CudaTimes::Hold hold(resources_.times, resources_.stream);
  const detail::ParameterStorage* of = nullptr;
  try {
    for (const Accumulate& a : plan.accumulations)
      if (a.kind != Accumulation::Kind::table) {
        of = a.parameter->get();
        add(a, sum_of(of));
      }
    for (const Table& t : tables_) {
      of = t.parameter;
      add_table(t);
    }
  } catch (DeviceError& e) {
    e.append(" (gradient of " + str(of->name) + ")");
    throw;
  }
}

GradientAccumulator::Sum& GradientAccumulator::sum_of(const detail::ParameterStorage* parameter) {
  return *std::ranges::find(sums_, parameter, &Sum::parameter);
}

void GradientAccumulator::add(const Accumulate& a, Sum& sum) {
  const auto credited = resources_.credit(*sum.parameter, a.rows);
  const auto timed = resources_.time(KernelStats::accumulate);
  a.kind == Accumulation::Kind::product ? add_product(a, sum) : add_rows(a, sum);
  ++resources_.stats.launches[KernelStats::accumulate];
}

// The first addition to an unset sum overwrites it, so that it need not be zeroed.
void GradientAccumulator::add_rows(const Accumulate& a, Sum& sum) {
  cuda_column_sum(resources_.arena.base() + a.dy.offset, a.dy.stride, a.rows, a.dy_size, !sum.unset,
                  scratch_.need(column_sum_scratch(a.rows, a.dy_size)), sum.elements, resources_.stream);
  sum.unset = false;
}

void GradientAccumulator::add_product(const Accumulate& a, Sum& sum) {
  if (a.dy_size == 0 || a.n == 0 || a.rows == 0) return zero_if_unset(sum);
  KernelStats& stats = resources_.stats;
  stats.product_flops += 2.0 * a.rows * a.dy_size * a.n;
  const VectorPairs pairs(a);
  const float* const base = resources_.arena.base();
  Product p{.transpose_a = true, .m = a.m, .n = a.n, .k = a.rows * pairs.per_row};
  p.a = {base + a.dy.offset, pairs.dy_stride, 0};
  p.b = {base + a.x.offset, pairs.x_stride, 0};
  p.c = {sum.elements, a.n, 0};
  p.beta = sum.unset ? 0 : 1;
  sum.unset = false;
  const bool in_bf16 = multiplies_in_bf16(a.m, a.n);
  const bool one_row = pairs.per_row == 1 && (a.dy.stride == 0 || a.x.stride == 0);
  if (!one_row && pairs.uniform) {
    ++stats.weight_products;
    return products_.multiply(p, in_bf16);
  }
  p.k = pairs.per_row;
  p.a.stride = a.m;
  p.b.stride = a.n;
  for (uint32_t r = 0; r < a.rows; ++r, ++stats.weight_products) {  // strides differ, or all rows are the same row
    products_.multiply(p, in_bf16);
    p.a.data += a.dy.stride;
    p.b.data += a.x.stride;
    p.beta = 1;
  }
}

void GradientAccumulator::zero_if_unset(Sum& sum) {
  if (sum.unset)
    check(cudaMemsetAsync(sum.elements, 0, sum.parameter->size() * sizeof(float), resources_.stream), "zeros");
  sum.unset = false;
}

// Uploads the contributions of the plan to the rows of a table. They are added to rows of a dense gradient, or become a
// sparse gradient of only these rows.
void GradientAccumulator::upload_table(const Plan& plan, detail::GradientEntry& entry) {
  const auto all = contributions_.of(plan, entry.parameter.get());
  if (all.empty()) return;
  CudaUpload& upload = resources_.upload;
  Table table{entry.parameter.get()};
  const std::span<uint64_t> sources = upload.add<uint64_t>(all.size(), table.sources);
  std::ranges::transform(all, sources.begin(), &TableContributions::Contribution::at);
  table_rows_.clear();
  table_offsets_.assign(1, 0);
  TableContributions::each_row(all, [&](int32_t row, const auto& contributions) {
    table_rows_.push_back(row);
    table_offsets_.push_back(table_offsets_.back() + static_cast<uint32_t>(contributions.size()));
  });
  table.count = table_rows_.size();
  table.offsets = upload.put<uint32_t>(table_offsets_);
  table.rows = upload.put<int32_t>(table_rows_);
  if (entry.sparse) {
    entry.rows.host_to_write().assign(table_rows_.begin(), table_rows_.end());
    table.sparse = entry.values.renew_on(resources_.memory, table.count * entry.parameter->row_size());
  }
  tables_.push_back(table);
}

void GradientAccumulator::add_table(const Table& table) {
  const auto credited = resources_.credit(*table.parameter, table.count);
  const auto timed = resources_.time(KernelStats::accumulate);
  const CudaUpload& upload = resources_.upload;
  TableSum t;
  t.base = resources_.arena.base();
  t.source = upload.at<uint64_t>(table.sources);
  t.offsets = upload.at<uint32_t>(table.offsets);
  t.rows = static_cast<int64_t>(table.count);
  t.size = static_cast<uint32_t>(table.parameter->row_size());
  t.out = table.sparse;
  if (table.sparse == nullptr) {
    Sum& sum = sum_of(table.parameter);
    zero_if_unset(sum);
    t.row = upload.at<int32_t>(table.rows);
    t.out = sum.elements;
    t.adds = true;
  }
  cuda_table_sum(t, resources_.stream);
  ++resources_.stats.launches[KernelStats::accumulate];
}

}  // namespace espalier
