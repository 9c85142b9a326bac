#include "exec/cuda/launch/uploaded_plan.h"

#include "exec/data_read.h"

namespace espalier {

void UploadedPlan::send(const Plan& plan, const ExecutionInputs& inputs, const persistent::Script& script) {
  const Layout& layout = *inputs.layout;
  upload_.begin();
  sources_ = upload_.put<uint32_t>(plan.sources);
  offsets_ = upload_.put<uint32_t>(plan.offsets);
  gathers_ = upload_.put<Gather>(plan.gathers);
  final_gathers_ = upload_.put<Gather>(plan.final_gathers);
  fills_ = upload_.put<Fill>(plan.fills);
  phases_ = upload_.put<persistent::Phase>(script.phases);
  parts_ = upload_.put<persistent::Part>(script.parts);
  terms_ = upload_.put<persistent::Term>(script.terms);
  operands_ = upload_.put<persistent::Operand>(script.operands);
  persistent_gathers_ = upload_.put<Gather>(script.gathers);
  first_batch_ = layout.batches.data();
  batches_.assign(layout.batches.size(), {});
  for (const PlanStep& step : plan.steps) send_batch(layout, *step.batch);
  const Range data = data_read(plan, layout);
  data_ = upload_.put(std::span(inputs.data, inputs.data_size).subspan(data.offset, data.size));
  first_data_ = data.offset;
  upload_.send();
}

void UploadedPlan::send_batch(const Layout& layout, const CellBatch& batch) {
  Batch& sent = batches_[static_cast<size_t>(&batch - first_batch_)];
  if (sent.sent) return;
  const Program& program = *batch.program;
  const size_t columns = program.indices.size() + static_cast<size_t>(program.numbers);
  sent.columns = upload_.put(std::span(layout.columns).subspan(batch.first_column, columns * batch.rows));
  sent.segments = upload_.put(
      std::span(layout.segments).subspan(batch.first_segment, program.min_rows.size() * (size_t{batch.rows} + 1)));
  if (program.random) sent.keys = upload_.put(std::span(layout.keys).subspan(batch.first_key, batch.rows));
  sent.sent = true;
}

StepIntegers UploadedPlan::integers(const PlanStep& step) const {
  const Batch& batch = batches_[static_cast<size_t>(step.batch - first_batch_)];
  return {step,
          {upload_.at<int32_t>(batch.columns), upload_.at<uint32_t>(batch.segments), upload_.at<uint64_t>(batch.keys)}};
}

persistent::Arguments UploadedPlan::arguments(float* base, uint64_t bf16_copy) const {
  return {upload_.at<persistent::Phase>(phases_),
          upload_.at<persistent::Part>(parts_),
          upload_.at<persistent::Term>(terms_),
          upload_.at<persistent::Operand>(operands_),
          upload_.at<persistent::GatherView>(persistent_gathers_),
          sources(),
          offsets(),
          base,
          bf16_copy};
}

}  // namespace espalier
