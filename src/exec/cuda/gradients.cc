// Gradients of parameters: one product for each weight, one sum for each bias, one sorted sum for each table.
#include <algorithm>

#include "exec/cuda/executor.h"
#include "exec/cuda/rows.h"

namespace espalier {

// Memory comes on the memory's stream: all of it is asked for before ours waits for that.
void CudaExecutor::accumulate(const Plan& plan, const RunInputs& inputs, detail::GradientState& to) {
  device_.use();
  inputs_ = inputs;
  for (const Accumulate& a : plan.accumulations)
    to.entry(*a.slot, a.kind == Accumulation::Kind::table && (*a.slot)->sparse());
  upload_.begin();
  sums_.clear();
  tables_.clear();
  for (size_t e = 0; e < to.used; ++e) {
    detail::GradientEntry& entry = to.entries[e];
    if (!entry.sparse) {
      float* numbers =
          entry.unset ? entry.values.renew_on(memory_, entry.slot->size()) : entry.values.to_write_on(memory_);
      sums_.push_back({entry.slot.get(), numbers, entry.unset});
      entry.unset = false;
    }
    sort_table(plan, entry);
  }
  upload_.send();
  memory_.precede(stream_.stream);
  const Followed followed(*this);
  const CudaTimes::Hold hold(times_, stream_.stream);
  const detail::Slot* of = nullptr;
  try {
    for (const Accumulate& a : plan.accumulations)
      if (a.kind != Accumulation::Kind::table) {
        of = a.slot->get();
        add(a, *std::ranges::find(sums_, of, &Sum::slot));
      }
    for (const Table& t : tables_) {
      of = t.slot;
      add_table(t);
    }
  } catch (DeviceError& e) {
    e.append(" (gradient of " + of->name + ")");
    throw;
  }
}

void CudaExecutor::add(const Accumulate& a, Sum& sum) {
  const CudaTimes::Entry entry(times_, entry_of(sum.slot->name, a.rows), tally);
  const auto timed = time(Tally::accumulate);
  a.kind == Accumulation::Kind::product ? add_product(a, sum) : add_rows(a, sum);
  ++tally.launches[Tally::accumulate];
}

// The first to add writes instead: nothing is zeroed.
void CudaExecutor::add_rows(const Accumulate& a, Sum& sum) {
  cuda_column_sum(arena_.base() + a.dy.offset, a.dy.stride, a.rows, a.dy_size, !sum.unset,
                  scratch_.need(column_sum_scratch(a.rows, a.dy_size)), sum.numbers, stream_.stream);
  sum.unset = false;
}

void CudaExecutor::add_product(const Accumulate& a, Sum& sum) {
  if (a.dy_size == 0 || a.n == 0 || a.rows == 0) return zero_if_unset(sum);
  tally.product_flops += 2.0 * a.rows * a.dy_size * a.n;
  const auto inner = static_cast<int64_t>(a.dy_size) / a.m;  // vectors in a row of rank 2
  Product p{.transpose_a = true, .m = a.m, .n = a.n, .k = a.rows * inner};
  p.a = {arena_.base() + a.dy.offset, inner == 1 ? static_cast<int64_t>(a.dy.stride) : a.m, 0};
  p.b = {arena_.base() + a.x.offset, inner == 1 ? static_cast<int64_t>(a.x.stride) : a.n, 0};
  p.c = {sum.numbers, a.n, 0};
  p.beta = sum.unset ? 0 : 1;
  sum.unset = false;
  const bool in_bf16 = multiplies_in_bf16(a.m, a.n);
  const bool one_row = inner == 1 && (a.dy.stride == 0 || a.x.stride == 0);
  const auto side_by_side = [&](const Binding& rows, int n) { return static_cast<int64_t>(rows.stride) == inner * n; };
  if (!one_row && (inner == 1 || (side_by_side(a.dy, a.m) && side_by_side(a.x, a.n)))) {
    ++tally.weight_products;
    if (in_bf16) shadow_.round(p);
    return products_.multiply(p);
  }
  p.k = inner;
  p.a.stride = a.m;
  p.b.stride = a.n;
  for (uint32_t r = 0; r < a.rows; ++r, ++tally.weight_products) {  // rows that do not lie evenly, or are all one
    if (in_bf16) shadow_.round(p);
    products_.multiply(p);
    p.a.data += a.dy.stride;
    p.b.data += a.x.stride;
    p.beta = 1;
  }
}

void CudaExecutor::zero_if_unset(Sum& sum) {
  if (sum.unset) check(cudaMemsetAsync(sum.numbers, 0, sum.slot->size() * sizeof(float), stream_.stream), "zeros");
  sum.unset = false;
}

// What the plan adds to rows of a table, sorted by row and within a row in the order of the plan. It goes to the rows
// of a dense gradient, or into a sparse one of these rows alone.
void CudaExecutor::sort_table(const Plan& plan, detail::GradientEntry& entry) {
  contributions_.clear();
  for (const Accumulate& a : plan.accumulations)
    if (a.kind == Accumulation::Kind::table && a.slot->get() == entry.slot.get())
      for (uint32_t r = 0; r < a.rows; ++r)
        contributions_.push_back({a.index != nullptr ? a.index[r] : a.literal,
                                  static_cast<uint32_t>(contributions_.size()),
                                  a.dy.offset + uint64_t{r} * a.dy.stride});
  if (contributions_.empty()) return;
  std::sort(contributions_.begin(), contributions_.end());
  Table table{entry.slot.get()};
  const std::span<uint64_t> sources = upload_.add<uint64_t>(contributions_.size(), table.sources);
  table_rows_.clear();
  table_offsets_.clear();
  for (size_t i = 0; i < contributions_.size(); ++i) {
    sources[i] = contributions_[i].at;
    if (i > 0 && contributions_[i].row == contributions_[i - 1].row) continue;
    table_rows_.push_back(contributions_[i].row);
    table_offsets_.push_back(static_cast<uint32_t>(i));
  }
  table.count = table_rows_.size();
  table_offsets_.push_back(static_cast<uint32_t>(contributions_.size()));
  table.offsets = upload_.put<uint32_t>(table_offsets_);
  table.rows = upload_.put<int32_t>(table_rows_);
  if (entry.sparse) {
    entry.rows.host_to_write() = table_rows_;
    table.sparse = entry.values.renew_on(memory_, table.count * entry.slot->row_size());
  }
  tables_.push_back(table);
}

void CudaExecutor::add_table(const Table& table) {
  const CudaTimes::Entry entry(times_, entry_of(table.slot->name, table.count), tally);
  const auto timed = time(Tally::accumulate);
  TableSum t;
  t.base = arena_.base();
  t.source = upload_.at<uint64_t>(table.sources);
  t.offsets = upload_.at<uint32_t>(table.offsets);
  t.rows = static_cast<int64_t>(table.count);
  t.size = static_cast<uint32_t>(table.slot->row_size());
  t.out = table.sparse;
  if (table.sparse == nullptr) {
    Sum& sum = *std::ranges::find(sums_, table.slot, &Sum::slot);
    zero_if_unset(sum);
    t.row = upload_.at<int32_t>(table.rows);
    t.out = sum.numbers;
    t.adds = true;
  }
  cuda_table_sum(t, stream_.stream);
  ++tally.launches[Tally::accumulate];
}

}  // namespace espalier
