#include "exec/cpu/functions.h"

#include <unordered_map>

#include "exec/cpu/elementwise/mask.h"
#include "exec/cpu/lists.h"
#include "exec/cpu/product/product.h"
#include "exec/cpu/softmax.h"
#include "exec/plain/plain.h"
#include "op/kernel/axis.h"
#include "op/kernel/extrema.h"
#include "op/kernel/indexed.h"
#include "op/kernel/logsumexp.h"
#include "op/kernel/noise.h"
#include "op/kernel/product.h"
#include "op/kernel/rows.h"

namespace espalier {

OpFunction<float> cpu_function(const OpInfo* op) {
  static const std::unordered_map<const OpInfo*, OpFunction<float>> own{
      {&info<op::CrossEntropy>(), cpu_cross_entropy},
      {&info<op::CrossEntropyGradient>(), cpu_cross_entropy_gradient},
      {&info<op::DropoutMask>(), cpu_dropout_mask},
      {&info<op::Linear>(), static_cast<OpFunction<float>>(cpu_linear)},
      {&info<op::LinearTransposed>(), cpu_linear_transposed},
      {&info<op::LogSoftmax>(), cpu_log_softmax},
      {&info<op::LogSumExp>(), cpu_logsumexp},
      {&info<op::LogSumExpRows>(), cpu_logsumexp_rows},
      {&info<op::Matmul>(), cpu_matmul},
      {&info<op::MaxAxis>(), cpu_max_axis},
      {&info<op::MaxRows>(), cpu_max_rows},
      {&info<op::Softmax>(), cpu_softmax},
      {&info<op::SoftmaxRows>(), cpu_softmax_rows},
      {&info<op::SumElements>(), cpu_sum_elements},
      {&info<op::SumRows>(), cpu_sum_rows},
  };
  const auto it = own.find(op);
  return it != own.end() ? it->second : plain_function<float>(op);
}

}  // namespace espalier
