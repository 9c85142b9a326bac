// Gradients of parameters: a product per weight, a sum per bias, a sum over sorted rows per table.
#pragma once
#include <vector>

#include "exec/accumulation.h"
#include "exec/cuda/memory/buffers.h"
#include "exec/cuda/product/launcher.h"
#include "exec/cuda/resources.h"
#include "param/gradient_state.h"

namespace espalier {

class GradientAccumulator {
 public:
  GradientAccumulator(CudaResources& resources, ProductLauncher& products)
      : resources_(resources), products_(products) {}

  // Adds the accumulations of a plan to `to`.
  void accumulate(const Plan& plan, detail::GradientState& to);

 private:
  struct Sum {
    const detail::ParameterStorage* parameter = nullptr;
    float* elements = nullptr;
    bool unset = false;  // nothing was added yet
  };
  struct Table {
    const detail::ParameterStorage* parameter = nullptr;
    size_t sources = 0, offsets = 0, rows = 0;  // positions in the upload
    size_t count = 0;                           // of rows
    float* sparse = nullptr;                    // the sums of the rows; null: they are added to the dense gradient
  };
  Sum& sum_of(const detail::ParameterStorage* parameter);
  void add(const Accumulate& a, Sum& sum);
  void add_rows(const Accumulate& a, Sum& sum);
  void add_product(const Accumulate& a, Sum& sum);
  void zero_if_unset(Sum& sum);
  void upload_table(const Plan& plan, detail::GradientEntry& entry);
  void add_table(const Table& table);

  CudaResources& resources_;
  ProductLauncher& products_;
  DeviceBuffer<float> scratch_;
  std::vector<Sum> sums_;      // of the plan
  std::vector<Table> tables_;  // of the plan
  // Members only to reuse their memory.
  TableContributions contributions_;
  std::vector<int32_t> table_rows_;
  std::vector<uint32_t> table_offsets_;
};

}  // namespace espalier
