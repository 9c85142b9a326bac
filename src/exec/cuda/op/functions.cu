#include "exec/cuda/op/functions.h"

#include <unordered_map>

#include "exec/cuda/op/launch.cuh"
#include "exec/gpu/op/all.h"

namespace espalier {

namespace {
template <class Op>
void run(const OpLaunch<float>& l, cudaStream_t stream) {
  for_each_lot<Op>(l, [&](const auto& items) { launch(items, stream, Op::doc.name.data()); });
}
}  // namespace

CudaFunction cuda_function(const OpInfo* op) {
  static const auto table = [] {
    std::unordered_map<const OpInfo*, CudaFunction> t;
    for_each_op_in_items([&]<class Op>() { t[&info<Op>()] = &run<Op>; });
    return t;
  }();
  const auto it = table.find(op);
  return it == table.end() ? nullptr : it->second;
}

}  // namespace espalier
