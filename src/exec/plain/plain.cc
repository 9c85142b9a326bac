#include "exec/plain/plain.h"

#include <unordered_map>

#include "exec/plain/algebra.h"
#include "exec/plain/axis.h"
#include "exec/plain/custom.h"
#include "exec/plain/indexed.h"
#include "exec/plain/noise.h"
#include "exec/plain/product.h"
#include "exec/plain/reductions.h"
#include "exec/plain/rows.h"
#include "exec/plain/selection.h"
#include "exec/plain/sparsemax.h"
#include "exec/plain/window.h"
#include "op/all.h"

namespace espalier {

template <class T>
OpFunction<T> plain_function(const OpInfo* op) {
  static const auto table = [] {
    std::unordered_map<const OpInfo*, OpFunction<T>> t;
    for_each_op([&]<class Op>() {
      if constexpr (!requires { Op::elementwise; } && !requires { &Op::compose; })
        t[&info<Op>()] = &Plain<Op>::template run<T>;
    });
    return t;
  }();
  if (op->custom != nullptr) return op->is_custom_gradient ? run_custom_gradient<T> : run_custom<T>;
  const auto it = table.find(op);
  return it == table.end() ? nullptr : it->second;
}

template OpFunction<float> plain_function<float>(const OpInfo*);
template OpFunction<double> plain_function<double>(const OpInfo*);

}  // namespace espalier
