// The copies of a plan's arrays on the device: everything that kernels read in addition to rows. They are sent in one
// transfer per plan.
#pragma once
#include <vector>

#include "exec/cuda/memory/upload.h"
#include "exec/executor.h"
#include "exec/gpu/persistent/script.h"
#include "exec/plan_view.h"

namespace espalier {

class UploadedPlan {
 public:
  explicit UploadedPlan(CudaUpload& upload) : upload_(upload) {}

  void send(const Plan& plan, const ExecutionInputs& inputs, const persistent::Script& script);

  // Valid until the next begin() of the upload.
  const Fill* fills() const { return upload_.at<Fill>(fills_); }
  const uint32_t* sources() const { return upload_.at<uint32_t>(sources_); }
  const uint32_t* offsets() const { return upload_.at<uint32_t>(offsets_); }
  const Gather* gathers(const PlanStep& step) const { return upload_.at<Gather>(gathers_) + step.first_gather; }
  const Gather* final_gathers() const { return upload_.at<Gather>(final_gathers_); }
  StepIntegers integers(const PlanStep& step) const;
  const float* data() const { return upload_.at<float>(data_) - first_data_; }  // indexed like GraphTape::data
  // The arguments of the plan's persistent kernels, for an arena and its bf16 copy (gpu/device/rounding.cuh).
  persistent::Arguments arguments(float* base, uint64_t bf16_copy) const;

 private:
  // All positions are in bytes of the upload.
  struct Batch {
    size_t columns = 0, segments = 0, keys = 0;
    bool sent = false;
  };
  void send_batch(const Layout& layout, const CellBatch& batch);

  CudaUpload& upload_;
  const CellBatch* first_batch_ = nullptr;  // of the layout
  std::vector<Batch> batches_;              // one per batch of the layout
  size_t sources_ = 0, offsets_ = 0, gathers_ = 0, final_gathers_ = 0, fills_ = 0, data_ = 0;
  size_t phases_ = 0, parts_ = 0, terms_ = 0, operands_ = 0, persistent_gathers_ = 0;
  size_t first_data_ = 0;  // the element of GraphTape::data at data_
};

}  // namespace espalier
