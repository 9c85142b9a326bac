#include "exec/cuda/executor.h"

#include <algorithm>

#include "base/check.h"
#include "exec/cuda/rows.h"
#include "exec/data_read.h"
#include "exec/profiler_range.h"
#include "op/kernel/product.h"
#include "plan/left_free.h"

namespace espalier {

CudaExecutor::Stream::Stream(const CudaDevice& device) {
  device.use();
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
}

CudaExecutor::CudaExecutor(int device, Precision precision)
    : device_(CudaDevice::open(device)),
      memory_(CudaMemory::of(device)),
      stream_(device_),
      arena_(device_),
      shadow_(device_, memory_, arena_, precision == Precision::bf16, stream_.stream),
      products_(device_, precision, stream_.stream),
      walks_(device_, precision, stream_.stream),
      upload_(stream_.stream) {}

CudaExecutor::~CudaExecutor() {
  CudaExecutor::set_timed(false);
  cudaStreamSynchronize(stream_.stream);
}

// The memory's work is timed while any executor wants to know.
void CudaExecutor::set_timed(bool timed) {
  const int change = int{timed} - int{timed_};
  times_.wanted += change;
  memory_.times.wanted += change;
  timed_ = timed;
}

// ---- what a plan reads

void CudaExecutor::send(const Plan& plan) {
  const Layout& layout = *inputs_.layout;
  upload_.begin();
  sources_ = upload_.put<uint32_t>(plan.sources);
  offsets_ = upload_.put<uint32_t>(plan.offsets);
  gathers_ = upload_.put<Gather>(plan.gathers);
  final_gathers_ = upload_.put<Gather>(plan.final_gathers);
  fills_ = upload_.put<Fill>(plan.fills);
  const walk::Script& script = walks_.script();
  phases_ = upload_.put<walk::Phase>(script.phases);
  parts_ = upload_.put<walk::Part>(script.parts);
  terms_ = upload_.put<walk::Term>(script.terms);
  walk_operands_ = upload_.put<walk::Operand>(script.operands);
  walk_gathers_ = upload_.put<Gather>(script.gathers);
  places_.assign(layout.runs.size(), {});
  for (const PlanStep& step : plan.steps) {
    const CellRun& run = *step.run;
    RunPlace& place = places_[static_cast<size_t>(&run - layout.runs.data())];
    if (place.there) continue;
    const Program& program = *run.program;
    const size_t columns = program.indices.size() + static_cast<size_t>(program.numbers);
    place.columns = upload_.put(std::span(layout.columns).subspan(run.first_column, columns * run.rows));
    place.segments = upload_.put(
        std::span(layout.segments).subspan(run.first_segment, program.least_rows.size() * (size_t{run.rows} + 1)));
    if (program.random) place.keys = upload_.put(std::span(layout.keys).subspan(run.first_key, run.rows));
    place.there = true;
  }
  const Range data = data_read(plan, layout);
  data_ = upload_.put(std::span(inputs_.data, inputs_.data_size).subspan(data.offset, data.size));
  first_data_ = data.offset;
  upload_.send();
}

const CudaExecutor::RunPlace& CudaExecutor::place(const PlanStep& step) const {
  return places_[static_cast<size_t>(step.run - inputs_.layout->runs.data())];
}

const int32_t* CudaExecutor::column(const PlanStep& step, size_t which) const {
  return upload_.at<int32_t>(place(step).columns) + which * step.run->rows + step.first;
}

Segments CudaExecutor::segments(const PlanStep& step, int group) const {
  return {upload_.at<uint32_t>(place(step).segments) + static_cast<size_t>(group) * (step.run->rows + 1) + step.first,
          static_cast<int64_t>(step.rows)};
}

int64_t CudaExecutor::rows_in(const PlanStep& step, int space) const {
  if (space == shared_space) return 1;
  return static_cast<int64_t>(inputs_.layout->first_in(*step.run, space, step.first + step.rows)) -
         inputs_.layout->first_in(*step.run, space, step.first);
}

Rows<float> CudaExecutor::rows(const Plan& plan, const PlanStep& step, const RowsOf& r) {
  if (r.kind == RowsOf::Kind::parameter) {
    // Parameters are read only; the kernel sees them as const.
    const float* p = step.program->parameters[static_cast<size_t>(r.which)]->data.on(memory_);
    return {const_cast<float*>(p) + r.offset, 0};
  }
  const Binding& b = plan.bindings[step.first_binding + static_cast<size_t>(r.which)];
  return {arena_.base() + b.offset + r.offset, static_cast<int64_t>(b.stride)};
}

// They come on the memory's stream, which ours then waits for.
void CudaExecutor::bring_parameters(const Plan& plan) {
  const Program* last = nullptr;
  for (const PlanStep& step : plan.steps) {
    if (step.program == last) continue;
    last = step.program;
    for (const auto& slot : step.program->parameters) slot->data.on(memory_);
  }
  memory_.precede(stream_.stream);
}

// ---- the loop

CudaExecutor::Followed::~Followed() {
  try {
    executor_.memory_.follow(executor_.stream_.stream);
  } catch (const DeviceError&) {  // the device is lost
  }
}

void CudaExecutor::run(const Plan& plan, const RunInputs& inputs) {
  device_.use();
  if (timed_) {
    times_.resolve(tally);
    memory_.times.resolve(tally);
  }
  arena_.grow(plan.elements * sizeof(float));
  inputs_ = inputs;
  infers_ = plan.infers;
  const Followed followed(*this);
  prepare(plan);
  const CudaTimes::Hold hold(times_, stream_.stream);
  if (!plan.fills.empty()) {
    const auto timed = time(Tally::other);
    cuda_fill(arena_.base(), upload_.at<Fill>(fills_), plan.fills.size(), stream_.stream);
    ++tally.launches[Tally::other];
  }
  std::span<const Walk> walks = walks_.walks();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    try {
      if (!walks.empty() && walks.front().first_step == i) {
        run_walk(plan, walks.front());
        i += walks.front().steps - 1;
        walks = walks.subspan(1);
      } else {
        run_step(plan, step);
      }
    } catch (DeviceError& e) {
      e.append(" (step " + std::to_string(i + 1) + " of " + std::to_string(plan.steps.size()) + ", cell " +
               step.program->name + (step.backward ? ", backward)" : ")"));
      throw;
    }
  }
  gather(plan.final_gathers, upload_.at<Gather>(final_gathers_), 0);
  if (shadow_.on()) {
    const auto timed = time(Tally::other);
    shadow_.end();
  }
}

// All that a plan needs beside rows: parameters, kernels, indices.
void CudaExecutor::prepare(const Plan& plan) {
  try {
    shadow_.begin(plan);
    bring_parameters(plan);
    find_walks(plan);
    send(plan);
  } catch (DeviceError& e) {
    e.append(" (for a plan of " + std::to_string(plan.steps.size()) + " steps and " +
             amount(plan.elements * sizeof(float)) + " of rows)");
    throw;
  }
}

void CudaExecutor::run_walk(const Plan& plan, const Walk& walk) {
  const ProfilerRange shown("walk");
  const auto steps = std::span(plan.steps).subspan(walk.first_step, walk.steps);
  const CudaTimes::Entry entry(times_, entry_of(steps), tally);
  const auto timed = time(Tally::walk);
  walks_.launch(walk,
                {upload_.at<walk::Phase>(phases_), upload_.at<walk::Part>(parts_), upload_.at<walk::Term>(terms_),
                 upload_.at<walk::Operand>(walk_operands_), upload_.at<Gather>(walk_gathers_),
                 upload_.at<uint32_t>(sources_), upload_.at<uint32_t>(offsets_), arena_.base(), shadow_.number()});
  for (const PlanStep& step : steps) {
    count_copied(std::span(plan.gathers).subspan(step.first_gather, step.gathers));
    shadow_.read_in_place(plan, step, *inputs_.layout);
    step.each_kernel([&](const Kernel& k) {
      if (k.kind != Kernel::Kind::run) shadow_.wrote(plan, step, k.out, *inputs_.layout);
    });
  }
  if (inputs_.poison)
    for (const Range& r : left_free(plan, *inputs_.layout, walk.first_step, walk.steps)) poison(r);
  tally.product_flops += walk.product_flops;
  ++tally.launches[Tally::walk];
}

void CudaExecutor::gather(std::span<const Gather> gathers, const Gather* on_device, uint64_t shadow) {
  if (gathers.empty()) return;
  const auto timed = time(Tally::gather);
  cuda_gather(
      {arena_.base(), upload_.at<uint32_t>(sources_), upload_.at<uint32_t>(offsets_), on_device, gathers, shadow},
      stream_.stream);
  ++tally.launches[Tally::gather];
  count_copied(gathers);
}

void CudaExecutor::count_copied(std::span<const Gather> gathers) {
  for (const Gather& g : gathers) tally.copied_elements += uint64_t{g.rows} * g.size;
}

void CudaExecutor::run_step(const Plan& plan, const PlanStep& step) {
  const ProfilerRange shown(step.program->name.c_str());
  const CudaTimes::Entry entry(times_, entry_of({&step, 1}), tally);
  gather(std::span(plan.gathers).subspan(step.first_gather, step.gathers),
         upload_.at<Gather>(gathers_) + step.first_gather, shadow_.of_gathers(step));
  shadow_.read_in_place(plan, step, *inputs_.layout);
  kernels_.clear();
  step.each_kernel([&](const Kernel& k) { kernels_.push_back(&k); });
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const Kernel& k = *kernels_[i];
    if (i + 1 < kernels_.size() && multiply_with_run(plan, step, k, *kernels_[i + 1])) {
      shadow_.wrote(plan, step, kernels_[++i]->run.out[0].rows, *inputs_.layout);
      continue;
    }
    launch(plan, step, k);
    if (k.kind != Kernel::Kind::run) shadow_.wrote(plan, step, k.out, *inputs_.layout);
  }
  if (inputs_.poison)
    for (uint32_t f = 0; f < step.freed; ++f) poison(plan.freed[step.first_freed + f]);
}

void CudaExecutor::launch(const Plan& plan, const PlanStep& step, const Kernel& k) {
  switch (k.kind) {
    case Kernel::Kind::number: {
      const auto timed = time(Tally::other);
      const Rows<float> out = rows(plan, step, k.out);
      cuda_numbers(column(step, step.program->indices.size() + static_cast<size_t>(k.number)), step.rows, out.data,
                   out.stride, stream_.stream);
      ++tally.launches[Tally::other];
      break;
    }
    case Kernel::Kind::run:
      launch_run(plan, step, k);
      break;
    case Kernel::Kind::op:
      launch_op(plan, step, k);
      break;
  }
}

void CudaExecutor::poison(Range r) {
  shadow_.poison(r);
  check(cudaMemsetAsync(arena_.base() + r.offset, 0xff, r.size * sizeof(float), stream_.stream), "poison");  // NaN
}
void CudaExecutor::poison_all() {
  device_.use();
  poison({0, arena_.committed() / sizeof(float)});
}

std::unique_ptr<Executor> make_cuda_executor(int device, Precision precision) {
  return std::make_unique<CudaExecutor>(device, precision);
}

}  // namespace espalier
