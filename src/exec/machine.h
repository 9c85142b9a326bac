// The loop over a Plan that every host executor shares; a Backend supplies the kernels for its number type.
#pragma once
#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/arena.h"
#include "exec/executor.h"
#include "exec/launch.h"
#include "exec/segment_sum.h"
#include "op/kernel/product.h"

namespace espalier {

// Backend: number type T and the kernels run, op, gather, product_gradient; `parameter` gives a parameter as T.
template <class Backend>
class Machine final : public Executor {
  using T = typename Backend::Number;
  using Clock = std::chrono::steady_clock;

 public:
  explicit Machine(Backend backend = Backend()) : backend_(std::move(backend)) {}

  void run(const Plan& plan, const RunInputs& inputs) override {
    arena_.grow((plan.elements + slack) * sizeof(T));
    inputs_ = inputs;
    backend_.begin();
    for (const Fill& f : plan.fills) base()[f.offset] = static_cast<T>(f.value);
    for (const PlanStep& step : plan.steps) {
      const Counted counted(entry_of({&step, 1}), tally);
      for (uint32_t g = 0; g < step.gathers; ++g) gather(plan, plan.gathers[step.first_gather + g]);
      step.each_kernel([&](const Kernel& k) { launch(plan, step, k); });
      if (inputs.poison)
        for (uint32_t f = 0; f < step.freed; ++f) poison(plan.freed[step.first_freed + f]);
    }
    for (const Gather& g : plan.final_gathers) gather(plan, g);
  }

  void accumulate(const Plan& plan, const RunInputs& inputs, detail::GradientState& to) override {
    inputs_ = inputs;
    for (const Accumulate& a : plan.accumulations) {
      const bool sparse = a.kind == Accumulation::Kind::table && (*a.slot)->sparse();
      detail::GradientEntry& entry = to.entry(*a.slot, sparse);
      if (sparse && entry.sparse) continue;
      const Counted counted(entry_of((*a.slot)->name, a.rows), tally);
      const auto start = Clock::now();
      T* sum = backend_.sum_of(entry);
      add(a, sum, entry);
      ++tally.launches[Tally::accumulate];
      tally.seconds[Tally::accumulate] += since(start);
    }
    const auto start = Clock::now();
    backend_.finish_sums(to);
    tally.seconds[Tally::accumulate] += since(start);
    add_tables(plan, to);
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
  static constexpr uint64_t slack = 64;  // a vector load may look past the last row

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
    ++tally.launches[Tally::gather];
    tally.copied_elements += uint64_t{g.rows} * g.size;
    tally.seconds[Tally::gather] += since(start);
  }

  Rows<T> rows(const Plan& plan, const PlanStep& step, const RowsOf& r) {
    if (r.kind == RowsOf::Kind::parameter) {
      // Parameters are read only; the kernel sees them as const.
      const T* p = backend_.parameter(*step.program->parameters[static_cast<size_t>(r.which)]);
      return {const_cast<T*>(p) + r.offset, 0};
    }
    const Binding& b = plan.bindings[step.first_binding + static_cast<size_t>(r.which)];
    return {base() + b.offset + r.offset, static_cast<int64_t>(b.stride)};
  }
  Rows<const T> const_rows(const Plan& plan, const PlanStep& step, const RowsOf& r) {
    const Rows<T> m = rows(plan, step, r);
    return {m.data, m.stride};
  }

  int64_t rows_in(const PlanStep& step, int space) const {
    if (space == shared_space) return 1;
    return static_cast<int64_t>(inputs_.layout->first_in(*step.run, space, step.first + step.rows)) -
           inputs_.layout->first_in(*step.run, space, step.first);
  }
  const int32_t* column(const PlanStep& step, size_t which) const {
    return inputs_.layout->columns.data() + step.run->first_column + which * step.run->rows + step.first;
  }
  Segments segments(const PlanStep& step, int group) const {
    return {inputs_.layout->segments.data() + step.run->first_segment +
                static_cast<size_t>(group) * (step.run->rows + 1) + step.first,
            static_cast<int64_t>(step.rows)};
  }

  void launch(const Plan& plan, const PlanStep& step, const Kernel& k) {
    const auto start = Clock::now();
    Tally::Kind kind = Tally::other;
    if (k.kind == Kernel::Kind::number) {
      const Rows<T> out = rows(plan, step, k.out);
      const int32_t* from = column(step, step.program->indices.size() + static_cast<size_t>(k.number));
      for (int64_t i = 0; i < step.rows; ++i) *out[i] = static_cast<T>(std::bit_cast<float>(from[i]));
    } else if (k.kind == Kernel::Kind::run) {
      kind = Tally::elementwise;
      launch_run(plan, step, k);
    } else {
      if (multiplies_matrices(k.op)) kind = Tally::product;
      launch_op(plan, step, k, kind == Tally::product);
    }
    ++tally.launches[kind];
    tally.seconds[kind] += since(start);
  }

  void launch_run(const Plan& plan, const PlanStep& step, const Kernel& k) {
    in_.clear();
    out_.clear();
    for (const Run::In& i : k.run.in) in_.push_back(const_rows(plan, step, i.rows));
    for (const Run::Out& o : k.run.out) out_.push_back(rows(plan, step, o.rows));
    const int64_t n = rows_in(step, k.space);
    if (n > 0) backend_.run({&k.run, n, in_, out_});
  }

  void launch_op(const Plan& plan, const PlanStep& step, const Kernel& k, bool product) {
    in_.clear();
    for (const RowsOf& i : k.in) in_.push_back(const_rows(plan, step, i));
    OpLaunch<T> l;
    l.kernel = &k;
    l.rows = rows_in(step, k.space);
    l.rows_of_round = inputs_.layout->rows_in(*step.run, k.space);
    l.in = in_;
    l.out = rows(plan, step, k.out);
    if (k.list >= 0) l.segments = segments(step, k.list);
    l.index = index(step, k, l.rows);
    if (k.op->random) l.keys = inputs_.layout->keys.data() + step.run->first_key + step.first;
    l.train = inputs_.train;
    l.data = inputs_.data;
    if (l.rows > 0) backend_.op(l);
    if (product) tally.product_flops += static_cast<double>(l.rows) * k.op->flops(k.attrs, k.in_shapes, k.out_shape);
  }

  // One integer per row: that of its call.
  const int32_t* index(const PlanStep& step, const Kernel& k, int64_t n) {
    if (k.literal >= 0) {
      index_.assign(static_cast<size_t>(n), k.literal);
      return index_.data();
    }
    if (k.index < 0) return nullptr;
    const int32_t* per_call = column(step, static_cast<size_t>(k.index));
    if (k.space <= call_space) return per_call;
    const Segments s = segments(step, k.space - 1);
    index_.clear();
    for (int64_t c = 0; c < s.calls; ++c)
      index_.insert(index_.end(), static_cast<size_t>(s.end(c) - s.begin(c)), per_call[c]);
    return index_.data();
  }

  // ---- parameters
  // The first to add writes instead: nothing is zeroed.
  void add(const Accumulate& a, T* sum, detail::GradientEntry& entry) {
    const Rows<const T> dy{base() + a.dy.offset, static_cast<int64_t>(a.dy.stride)};
    const auto size = static_cast<int64_t>(a.dy_size);
    switch (a.kind) {
      case Accumulation::Kind::sum:
        backend_.add_rows(a.rows, size, dy, entry.unset, sum);
        break;
      case Accumulation::Kind::table:
        if (entry.unset) std::fill_n(sum, entry.values.size(), T(0));
        if (a.rows > sum_block) {  // some rows of the table may get so many
          contributions_.clear();
          contribute(a);
          each_row_sum(static_cast<size_t>(size), [&](int32_t row) {
            for (int64_t e = 0; e < size; ++e) sum[row * size + e] += static_cast<T>(row_sum_[static_cast<size_t>(e)]);
          });
          break;
        }
        for (int64_t r = 0; r < a.rows; ++r) {
          const int64_t row = a.index != nullptr ? a.index[r] : a.literal;
          for (int64_t e = 0; e < size; ++e) sum[row * size + e] += dy[r][e];
        }
        break;
      case Accumulation::Kind::product:
        add_product(a, dy, entry.unset, sum);
        break;
    }
    entry.unset = false;
  }

  void add_product(const Accumulate& a, Rows<const T> dy, bool first, T* sum) {
    if (a.dy_size == 0 || a.n == 0) {  // rows without elements
      if (first) std::fill_n(sum, static_cast<size_t>(a.m) * static_cast<size_t>(a.n), T(0));
      return;
    }
    const Rows<const T> x{base() + a.x.offset, static_cast<int64_t>(a.x.stride)};
    tally.product_flops += 2.0 * a.rows * a.dy_size * a.n;
    const int64_t inner = a.dy_size / static_cast<uint32_t>(a.m);  // vectors in a row of rank 2
    if (inner == 1 || (dy.stride == inner * a.m && x.stride == inner * a.n)) {
      ++tally.weight_products;
      const Rows<const T> all_dy{dy.data, inner == 1 ? dy.stride : a.m}, all_x{x.data, inner == 1 ? x.stride : a.n};
      backend_.product_gradient(a.rows * inner, a.m, a.n, all_dy, all_x, !first, sum);
      return;
    }
    for (int64_t r = 0; r < a.rows; ++r, ++tally.weight_products)
      backend_.product_gradient(inner, a.m, a.n, {dy[r], a.m}, {x[r], a.n}, !first || r > 0, sum);
  }

  void contribute(const Accumulate& a) {
    for (uint32_t r = 0; r < a.rows; ++r)
      contributions_.push_back({a.index != nullptr ? a.index[r] : a.literal,
                                static_cast<uint32_t>(contributions_.size()), a.dy.offset + uint64_t{r} * a.dy.stride});
  }
  // Calls f(row) for each row of a table that has contributions, in order, with their sum in row_sum_.
  template <class F>
  void each_row_sum(size_t width, F f) {
    std::sort(contributions_.begin(), contributions_.end());
    for (size_t i = 0; i < contributions_.size();) {
      const int32_t row = contributions_[i].row;
      row_sum_.assign(width, 0);
      for (; i < contributions_.size() && contributions_[i].row == row; ++i)
        for (size_t k = 0; k < width; ++k) row_sum_[k] += static_cast<double>(base()[contributions_[i].at + k]);
      f(row);
    }
  }

  // Sparse tables: contributions sorted by row, each row summed in the order of the plan.
  void add_tables(const Plan& plan, detail::GradientState& to) {
    for (size_t e = 0; e < to.used; ++e) {
      detail::GradientEntry& entry = to.entries[e];
      if (!entry.sparse) continue;
      const auto start = Clock::now();
      contributions_.clear();
      for (const Accumulate& a : plan.accumulations)
        if (a.slot->get() == entry.slot.get()) contribute(a);
      if (contributions_.empty()) continue;
      const Counted counted(entry_of(entry.slot->name, contributions_.size()), tally);
      ++tally.launches[Tally::accumulate];
      std::vector<int32_t>& rows = entry.rows.host_to_write();
      std::vector<float>& values = entry.values.host_to_write();
      each_row_sum(entry.slot->row_size(), [&](int32_t row) {
        rows.push_back(row);
        for (const double v : row_sum_) values.push_back(static_cast<float>(v));
      });
      tally.seconds[Tally::accumulate] += since(start);
    }
  }

  struct Contribution {
    int32_t row;
    uint32_t order;
    uint64_t at;
    bool operator<(const Contribution& o) const { return row != o.row ? row < o.row : order < o.order; }
  };

  Backend backend_;
  Arena arena_;
  RunInputs inputs_;
  std::vector<Rows<const T>> in_;
  std::vector<Rows<T>> out_;
  std::vector<int32_t> index_;
  std::vector<Contribution> contributions_;
  std::vector<double> row_sum_;
};

}  // namespace espalier
