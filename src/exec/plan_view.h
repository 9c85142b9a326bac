// A Plan as executors read it: how many rows a kernel runs over, where these rows are, the integers of their calls, and
// the launch of an op. Host and device executors share this; they differ in base pointers only.
#pragma once
#include <span>
#include <vector>

#include "exec/launch.h"
#include "plan/plan.h"
#include "tensor/device_memory.h"

namespace espalier {

// The number of rows of a step in a space (cell/program.h).
inline int64_t rows_in(const Layout& layout, const PlanStep& step, int space) {
  if (space == shared_space) return 1;
  return int64_t{layout.first_in(*step.batch, space, step.first + step.rows)} -
         int64_t{layout.first_in(*step.batch, space, step.first)};
}

inline std::span<const Gather> gathers_of(const Plan& plan, const PlanStep& step) {
  return std::span(plan.gathers).subspan(step.first_gather, step.gathers);
}
inline std::span<const Range> freed_by(const Plan& plan, const PlanStep& step) {
  return std::span(plan.freed).subspan(step.first_freed, step.freed);
}
inline std::span<const Accumulate> accumulations_of(const Plan& plan, const PlanStep& step) {
  return std::span(plan.accumulations).subspan(step.first_accumulation, step.accumulations);
}
inline std::span<const Accumulate> final_accumulations(const Plan& plan) {
  return std::span(plan.accumulations).subspan(plan.final_accumulations);
}
inline uint64_t copied_elements(std::span<const Gather> gathers) {
  uint64_t n = 0;
  for (const Gather& g : gathers) n += uint64_t{g.rows} * g.size;
  return n;
}
inline double product_flops(const Kernel& k, int64_t rows) {
  return static_cast<double>(rows) * k.op->flops(k.attrs, k.in_shapes, k.out_shape);
}

// The rows of one step. `base` is the arena; parameter_of(storage) returns the elements of a parameter as const T*.
template <class T, class ParameterOf>
class StepRows {
 public:
  StepRows(const Plan& plan, const PlanStep& of, const Layout& rows, T* base, ParameterOf parameter_of)
      : step(of), layout(rows), plan_(plan), base_(base), parameter_of_(parameter_of) {}

  int64_t count(int space) const { return rows_in(layout, step, space); }
  Rows<T> operator[](const RowsOf& r) const {
    if (r.kind == RowsOf::Kind::parameter) {
      // Kernels do not write parameters; they see them as const.
      const T* p = parameter_of_(*step.program->parameters[static_cast<size_t>(r.which)]);
      return {const_cast<T*>(p) + r.offset, 0};
    }
    const Binding& b = plan_.bindings[step.first_binding + static_cast<size_t>(r.which)];
    return {base_ + b.offset + r.offset, static_cast<int64_t>(b.stride)};
  }
  Rows<const T> read(const RowsOf& r) const {
    const Rows<T> rows = (*this)[r];
    return {rows.data, rows.stride};
  }

  const PlanStep& step;
  const Layout& layout;

 private:
  const Plan& plan_;
  T* base_;
  ParameterOf parameter_of_;
};

// The rows of one step in the memory of a device; parameters are read from `memory`.
struct ParametersOnDevice {
  DeviceMemory* memory;
  const float* operator()(const detail::ParameterStorage& storage) const { return storage.data.on(*memory); }
};
using DeviceStepRows = StepRows<float, ParametersOnDevice>;

// The integers of a cell batch (plan/layout.h): in the arrays of the layout, or in copies of these on a device.
struct BatchIntegers {
  const int32_t* columns = nullptr;    // batch.rows entries for each index of the program, then for each number
  const uint32_t* segments = nullptr;  // batch.rows + 1 entries for each group
  const uint64_t* keys = nullptr;      // batch.rows, if the program is random
};
inline BatchIntegers integers_of(const Layout& layout, const CellBatch& batch) {
  return {layout.columns.data() + batch.first_column, layout.segments.data() + batch.first_segment,
          layout.keys.data() + batch.first_key};
}

// The integers of the calls of one step.
class StepIntegers {
 public:
  StepIntegers(const PlanStep& step, const BatchIntegers& batch) : step_(step), batch_(batch) {}

  const int32_t* column(int which) const {
    return batch_.columns + static_cast<size_t>(which) * step_.batch->rows + step_.first;
  }
  const int32_t* numbers(int which) const {  // the bits of floats
    return column(static_cast<int>(step_.program->indices.size()) + which);
  }
  Segments segments(int group) const {
    return {batch_.segments + static_cast<size_t>(group) * (step_.batch->rows + 1) + step_.first,
            static_cast<int64_t>(step_.rows)};
  }
  const uint64_t* keys() const { return batch_.keys + step_.first; }

 private:
  const PlanStep& step_;
  BatchIntegers batch_;
};

// The launch of an op. Its index has one entry per call, also if the op runs over the rows of a list; it is null if the
// op has no index, or a literal one. `in` stores the operands.
template <class T, class ParameterOf>
OpLaunch<T> op_launch(const StepRows<T, ParameterOf>& rows, const StepIntegers& integers, const Kernel& k,
                      std::vector<Rows<const T>>& in) {
  in.clear();
  for (const RowsOf& i : k.in) in.push_back(rows.read(i));
  OpLaunch<T> l;
  l.kernel = &k;
  l.rows = rows.count(k.space);
  l.rows_of_round = rows.layout.rows_in(*rows.step.batch, k.space);
  l.in = in;
  l.out = rows[k.out];
  if (const int list = k.list >= 0 ? k.list : k.space - 1; list >= 0) l.segments = integers.segments(list);
  if (k.index >= 0) l.index = integers.column(k.index);
  if (k.op->random) l.keys = integers.keys();
  return l;
}

}  // namespace espalier
