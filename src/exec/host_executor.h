// Runs Plans on the host. A Backend supplies the element type and the kernels.
#pragma once
#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <utility>

#include "base/arena.h"
#include "exec/accumulation.h"
#include "exec/executor.h"
#include "exec/launch.h"
#include "exec/plan_view.h"
#include "exec/segment_sum.h"
#include "op/kernel/product.h"

namespace espalier {

// Backend has the element type Number; begin() and end(), called before and after each plan; parameter(), which returns
// the elements of a parameter as Numbers; the kernels fused, op, gather, product_gradient and add_rows; sum_of(), the
// memory in which a gradient is summed; finish_sums(), called after the last sum; and cache_bytes.
template <class Backend>
class HostExecutor final : public Executor {
  using T = typename Backend::Number;
  using Clock = std::chrono::steady_clock;

 public:
  explicit HostExecutor(Backend backend) : backend_(std::move(backend)) {}

  void run(const Plan& plan, const ExecutionInputs& inputs) override {
    arena_.grow((plan.elements + slack) * sizeof(T));
    inputs_ = inputs;
    backend_.begin();
    for (const Fill& f : plan.fills) base()[f.offset] = static_cast<T>(f.value);
    for (const PlanStep& step : plan.steps) {
      {
        const StatsScope counted(entry_of({&step, 1}), stats);
        for (const Gather& g : gathers_of(plan, step)) gather(plan, g);
        const HostRows rows(plan, step, *inputs.layout, base(), ParameterOf{&backend_});
        step.each_kernel([&](const Kernel& k) { launch(rows, k); });
        if (inputs.poison)
          for (const Range& r : freed_by(plan, step)) poison(r);
      }
      for (const Accumulate& a : accumulations_of(plan, step)) add(a, *inputs.gradients);
    }
    for (const Gather& g : plan.final_gathers) gather(plan, g);
    backend_.end();
  }

  void accumulate(const Plan& plan, const ExecutionInputs& inputs, detail::GradientState& to) override {
    inputs_ = inputs;
    for (const Accumulate& a : final_accumulations(plan)) add(a, to);
    const auto start = Clock::now();
    backend_.finish_sums(to);
    stats.seconds[KernelStats::accumulate] += since(start);
    add_sparse_tables(plan, to);
  }

  void read(std::span<const Range> rows, float* out) override {
    for (const Range& r : rows)
      for (uint64_t e = 0; e < r.size; ++e) *out++ = static_cast<float>(base()[r.offset + e]);
  }
  void add_sum(std::span<const uint64_t> offsets, double factor, detail::LossSum& to) override {
    double sum = 0;
    for (const uint64_t offset : offsets) sum += static_cast<double>(base()[offset]);
    to.add(factor * sum);
  }
  size_t bytes() const override { return arena_.committed(); }
  size_t growths() const override { return arena_.growths(); }
  size_t cache_bytes() const override { return Backend::cache_bytes; }
  void poison_all() override { poison({0, arena_.committed() / sizeof(T)}); }

 private:
  struct ParameterOf {
    Backend* backend;
    const T* operator()(const detail::ParameterStorage& storage) const { return backend->parameter(storage); }
  };
  using HostRows = StepRows<T, ParameterOf>;

  static constexpr uint64_t slack = 64;  // elements; a vector load may read past the last row

  T* base() const { return reinterpret_cast<T*>(arena_.base()); }
  static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

  void poison(Range r) { std::fill_n(base() + r.offset, r.size, std::numeric_limits<T>::quiet_NaN()); }

  void gather(const Plan& plan, const Gather& g) {
    const auto start = Clock::now();
    SegmentSum<T> s;
    s.base = base();
    s.source = plan.sources.data() + g.first_source;
    s.offsets = g.first_offset == ~uint32_t{0} ? nullptr : plan.offsets.data() + g.first_offset;
    s.rows = g.rows;
    s.size = g.size;
    s.out = base() + g.out;
    s.out_stride = g.stride;
    backend_.gather(s);
    ++stats.launches[KernelStats::gather];
    stats.copied_elements += copied_elements({&g, 1});
    stats.seconds[KernelStats::gather] += since(start);
  }

  // ---- kernels

  void launch(const HostRows& rows, const Kernel& k) {
    const auto start = Clock::now();
    KernelStats::Kind kind = KernelStats::other;
    if (k.kind == Kernel::Kind::number) {
      const Rows<T> out = rows[k.out];
      const int32_t* from = integers(rows.step).numbers(k.number);
      for (int64_t i = 0; i < rows.step.rows; ++i) *out[i] = static_cast<T>(std::bit_cast<float>(from[i]));
    } else if (k.kind == Kernel::Kind::fused) {
      kind = KernelStats::elementwise;
      launch_fused(rows, k);
    } else {
      if (multiplies_matrices(k.op)) kind = KernelStats::product;
      launch_op(rows, k, kind == KernelStats::product);
    }
    ++stats.launches[kind];
    stats.seconds[kind] += since(start);
  }

  void launch_fused(const HostRows& rows, const Kernel& k) {
    in_.clear();
    out_.clear();
    for (const FusedKernel::In& i : k.fused.in) in_.push_back(rows.read(i.rows));
    for (const FusedKernel::Out& o : k.fused.out) out_.push_back(rows[o.rows]);
    const int64_t n = rows.count(k.space);
    if (n > 0) backend_.fused({&k.fused, n, in_, out_});
  }

  void launch_op(const HostRows& rows, const Kernel& k, bool product) {
    const StepIntegers of_step = integers(rows.step);
    OpLaunch<T> l = op_launch(rows, of_step, k, in_);
    l.index = index_per_row(l, of_step);
    l.train = inputs_.train;
    l.data = inputs_.data;
    if (l.rows > 0) backend_.op(l);
    if (product) stats.product_flops += product_flops(k, l.rows);
  }

  StepIntegers integers(const PlanStep& step) const { return {step, integers_of(*inputs_.layout, *step.batch)}; }

  // Host kernels read one integer per row: that of its call, or the literal.
  const int32_t* index_per_row(const OpLaunch<T>& l, const StepIntegers& of_step) {
    const Kernel& k = *l.kernel;
    if (k.literal >= 0) {
      index_.assign(static_cast<size_t>(l.rows), k.literal);
      return index_.data();
    }
    if (k.index < 0 || k.space <= call_space) return l.index;
    const Segments s = of_step.segments(k.space - 1);
    index_.clear();
    for (int64_t c = 0; c < s.calls; ++c)
      index_.insert(index_.end(), static_cast<size_t>(s.end(c) - s.begin(c)), l.index[c]);
    return index_.data();
  }

  // ---- gradients of parameters

  void add(const Accumulate& a, detail::GradientState& to) {
    detail::GradientEntry& entry = to.entry(*a.parameter, is_sparse(a));
    if (is_sparse(a) && entry.sparse) return;
    const StatsScope counted(entry_of(**a.parameter, a.rows), stats);
    const auto start = Clock::now();
    add(a, backend_.sum_of(entry), entry);
    ++stats.launches[KernelStats::accumulate];
    stats.seconds[KernelStats::accumulate] += since(start);
  }

  // The first addition to an unset entry overwrites it, so that only tables are zeroed.
  void add(const Accumulate& a, T* sum, detail::GradientEntry& entry) {
    const Rows<const T> dy{base() + a.dy.offset, static_cast<int64_t>(a.dy.stride)};
    switch (a.kind) {
      case Accumulation::Kind::sum:
        backend_.add_rows(a.rows, static_cast<int64_t>(a.dy_size), dy, entry.unset, sum);
        break;
      case Accumulation::Kind::table:
        if (entry.unset) std::fill_n(sum, entry.values.size(), T(0));
        add_table(a, dy, sum);
        break;
      case Accumulation::Kind::product:
        add_product(a, dy, entry.unset, sum);
        break;
    }
    entry.unset = false;
  }

  void add_table(const Accumulate& a, Rows<const T> dy, T* sum) {
    const auto size = static_cast<int64_t>(a.dy_size);
    if (a.rows > sum_block) {  // a row of the table may get more than sum_block contributions
      TableContributions::each_row(contributions_.of(a), [&](int32_t row, const auto& contributions) {
        sum_up(contributions, static_cast<size_t>(size));
        for (int64_t e = 0; e < size; ++e) sum[row * size + e] += static_cast<T>(row_sum_[static_cast<size_t>(e)]);
      });
      return;
    }
    for (int64_t r = 0; r < a.rows; ++r) {
      const int64_t row = a.index != nullptr ? a.index[r] : a.literal;
      for (int64_t e = 0; e < size; ++e) sum[row * size + e] += dy[r][e];
    }
  }

  void add_product(const Accumulate& a, Rows<const T> dy, bool first, T* sum) {
    if (a.dy_size == 0 || a.n == 0) {  // rows without elements
      if (first) std::fill_n(sum, static_cast<size_t>(a.m) * static_cast<size_t>(a.n), T(0));
      return;
    }
    const Rows<const T> x{base() + a.x.offset, static_cast<int64_t>(a.x.stride)};
    stats.product_flops += 2.0 * a.rows * a.dy_size * a.n;
    const VectorPairs pairs(a);
    if (pairs.uniform) {
      ++stats.weight_products;
      backend_.product_gradient(a.rows * pairs.per_row, a.m, a.n, {dy.data, pairs.dy_stride}, {x.data, pairs.x_stride},
                                !first, sum);
      return;
    }
    for (int64_t r = 0; r < a.rows; ++r, ++stats.weight_products)
      backend_.product_gradient(pairs.per_row, a.m, a.n, {dy[r], a.m}, {x[r], a.n}, !first || r > 0, sum);
  }

  void sum_up(std::span<const TableContributions::Contribution> contributions, size_t width) {
    row_sum_.assign(width, 0);
    for (const auto& c : contributions)
      for (size_t k = 0; k < width; ++k) row_sum_[k] += static_cast<double>(base()[c.at + k]);
  }

  void add_sparse_tables(const Plan& plan, detail::GradientState& to) {
    for (size_t e = 0; e < to.used; ++e) {
      detail::GradientEntry& entry = to.entries[e];
      if (!entry.sparse) continue;
      const auto start = Clock::now();
      const auto all = contributions_.of(plan, entry.parameter.get());
      if (all.empty()) continue;
      const StatsScope counted(entry_of(*entry.parameter, all.size()), stats);
      ++stats.launches[KernelStats::accumulate];
      AlignedVector<int32_t>& rows = entry.rows.host_to_write();
      AlignedVector<float>& values = entry.values.host_to_write();
      TableContributions::each_row(all, [&](int32_t row, const auto& contributions) {
        sum_up(contributions, entry.parameter->row_size());
        rows.push_back(row);
        for (const double v : row_sum_) values.push_back(static_cast<float>(v));
      });
      stats.seconds[KernelStats::accumulate] += since(start);
    }
  }

  Backend backend_;
  Arena arena_;
  ExecutionInputs inputs_;
  // Members only to reuse their memory.
  std::vector<Rows<const T>> in_;
  std::vector<Rows<T>> out_;
  std::vector<int32_t> index_;
  TableContributions contributions_;
  std::vector<double> row_sum_;
};

}  // namespace espalier
