// Gradients of parameters: one product for each weight, one sum for each bias, one sorted sum for each table.
#include <algorithm>

#include "exec/cuda/executor.h"
#include "exec/cuda/rows.h"

namespace espalier {

void CudaExecutor::accumulate(const Plan& plan, const RunInputs& inputs, detail::GradientState& to) {
  device_.use();
  inputs_ = inputs;
  std::vector<std::pair<const detail::Slot*, bool>> met;  // and whether it had a gradient before
  for (const Accumulate& a : plan.accumulations) {
    const bool table = a.kind == Accumulation::Kind::table, sparse = table && (*a.slot)->sparse();
    detail::GradientEntry& entry = to.entry(*a.slot, sparse);
    const auto it = std::ranges::find(met, a.slot->get(), [](const auto& m) { return m.first; });
    const bool first = it == met.end();
    if (first) met.emplace_back(a.slot->get(), !entry.sparse && !entry.unset);
    if (entry.sparse && !first) continue;  // all of a table at once
    if (entry.sparse) {
      add_sparse(plan, entry);
    } else {
      float* sum = sums_[entry.slot.get()].need(entry.slot->size());
      add(a, *entry.slot, sum, first);
    }
    ++tally.launches[Tally::accumulate];
  }
  for (const auto& [slot, had] : met) {
    detail::GradientEntry* const entry = to.find(slot);
    if (entry->sparse) continue;
    std::vector<float> sum(slot->size());
    check(cudaMemcpyAsync(sum.data(), sums_[slot].data(), sum.size() * sizeof(float), cudaMemcpyDeviceToHost,
                          stream_.stream),
          "a gradient to the host");
    check(cudaStreamSynchronize(stream_.stream), "waiting for gradients");
    if (had)
      for (size_t i = 0; i < sum.size(); ++i) entry->values[i] += sum[i];
    else
      entry->values = std::move(sum);
    entry->unset = false;
  }
}

// The first to add writes instead: nothing is zeroed.
void CudaExecutor::add(const Accumulate& a, const detail::Slot& slot, float* sum, bool first) {
  switch (a.kind) {
    case Accumulation::Kind::sum:
      cuda_column_sum(arena_.base() + a.dy.offset, a.dy.stride, a.rows, a.dy_size, !first,
                      scratch_.need(column_sum_scratch(a.rows, a.dy_size)), sum, stream_.stream);
      break;
    case Accumulation::Kind::table: {
      if (first) check(cudaMemsetAsync(sum, 0, slot.size() * sizeof(float), stream_.stream), "zeros");
      contributions_.clear();
      contribute(a);
      sum_rows(a.dy_size, nullptr, sum);
      break;
    }
    case Accumulation::Kind::product:
      add_product(a, sum, first);
      break;
  }
}

void CudaExecutor::add_product(const Accumulate& a, float* sum, bool first) {
  const auto size = static_cast<size_t>(a.m) * static_cast<size_t>(a.n);
  if (a.dy_size == 0 || a.n == 0 || a.rows == 0) {
    if (first) check(cudaMemsetAsync(sum, 0, size * sizeof(float), stream_.stream), "zeros");
    return;
  }
  tally.product_flops += 2.0 * a.rows * a.dy_size * a.n;
  const int64_t inner = a.dy_size / static_cast<uint32_t>(a.m);  // vectors in a row of rank 2
  Product p{.transpose_a = true, .m = a.m, .n = a.n, .k = a.rows * inner};
  p.a = {arena_.base() + a.dy.offset, inner == 1 ? static_cast<int64_t>(a.dy.stride) : a.m, 0};
  p.b = {arena_.base() + a.x.offset, inner == 1 ? static_cast<int64_t>(a.x.stride) : a.n, 0};
  p.c = {sum, a.n, 0};
  p.beta = first ? 0 : 1;
  const bool one_row = inner == 1 && (a.dy.stride == 0 || a.x.stride == 0);
  if (!one_row && (inner == 1 || (a.dy.stride == inner * a.m && a.x.stride == inner * a.n))) {
    ++tally.weight_products;
    return products_.multiply(p);
  }
  p.k = inner;
  p.a.stride = a.m;
  p.b.stride = a.n;
  for (uint32_t r = 0; r < a.rows; ++r, ++tally.weight_products) {  // rows that do not lie evenly, or are all one
    products_.multiply(p);
    p.a.data += a.dy.stride;
    p.b.data += a.x.stride;
    p.beta = 1;
  }
}

void CudaExecutor::contribute(const Accumulate& a) {
  for (uint32_t r = 0; r < a.rows; ++r)
    contributions_.push_back({a.index != nullptr ? a.index[r] : a.literal, static_cast<uint32_t>(contributions_.size()),
                              a.dy.offset + uint64_t{r} * a.dy.stride});
}

void CudaExecutor::add_sparse(const Plan& plan, detail::GradientEntry& entry) {
  contributions_.clear();
  for (const Accumulate& a : plan.accumulations)
    if (a.slot->get() == entry.slot.get()) contribute(a);
  const size_t width = entry.slot->row_size(), before = entry.rows.size();
  std::vector<int32_t>& rows = entry.rows;
  float* sum = scratch_.need(contributions_.size() * width);
  sum_rows(static_cast<uint32_t>(width), &rows, sum);
  const size_t fresh = rows.size() - before;
  entry.values.resize(rows.size() * width);
  check(cudaMemcpyAsync(entry.values.data() + before * width, sum, fresh * width * sizeof(float),
                        cudaMemcpyDeviceToHost, stream_.stream),
        "a gradient to the host");
  check(cudaStreamSynchronize(stream_.stream), "waiting for gradients");
}

// Contributions sorted by row, each row summed in the order of the plan; with `found` the rows are told there and their
// sums written one after the other, else they are added to rows of `out`.
void CudaExecutor::sum_rows(uint32_t width, std::vector<int32_t>* found, float* out) {
  std::sort(contributions_.begin(), contributions_.end());
  upload_.begin();
  const size_t n = contributions_.size();
  size_t sources = 0;
  const std::span<uint64_t> source = upload_.add<uint64_t>(n, sources);
  for (size_t i = 0; i < n; ++i) source[i] = contributions_[i].at;
  std::vector<uint32_t> offsets;
  std::vector<int32_t> rows;
  for (size_t i = 0; i < n; ++i)
    if (i == 0 || contributions_[i].row != contributions_[i - 1].row) {
      offsets.push_back(static_cast<uint32_t>(i));
      rows.push_back(contributions_[i].row);
    }
  offsets.push_back(static_cast<uint32_t>(n));
  const size_t all_offsets = upload_.put<uint32_t>(offsets), all_rows = upload_.put<int32_t>(rows);
  upload_.send();
  TableSum t;
  t.base = arena_.base();
  t.source = upload_.at<uint64_t>(sources);
  t.offsets = upload_.at<uint32_t>(all_offsets);
  t.row = found != nullptr ? nullptr : upload_.at<int32_t>(all_rows);
  t.rows = static_cast<int64_t>(rows.size());
  t.size = width;
  t.out = out;
  t.adds = found == nullptr;
  cuda_table_sum(t, stream_.stream);
  if (found != nullptr) found->insert(found->end(), rows.begin(), rows.end());
}

}  // namespace espalier
