// The plain version of every op that is not element-wise: simple loops that define the op. In double it is the
// reference; in float the CPU uses it for ops without an optimised version.
#pragma once
#include "exec/launch.h"

namespace espalier {

// Specialised for each op in a file of this folder. plain.cc does not compile if an op lacks its specialisation.
template <class Op>
struct Plain;

// Null for element-wise ops, which run in fused kernels, and for composed ops. T is float or double.
template <class T>
OpFunction<T> plain_function(const OpInfo* op);

extern template OpFunction<float> plain_function<float>(const OpInfo*);
extern template OpFunction<double> plain_function<double>(const OpInfo*);

}  // namespace espalier
