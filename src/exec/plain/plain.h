// The plain version of every op that is not element-wise: loops that say what the op means. On double it is the
// reference; on float it is what the CPU runs where it has nothing better.
#pragma once
#include "exec/launch.h"

namespace espalier {

// Specialised for each op in the file named as the op's own. An op without one does not compile into the table.
template <class Op>
struct Plain;

// Null for an element-wise op: those run as part of a Run. T is float or double.
template <class T>
OpFunction<T> plain_function(const OpInfo* op);

extern template OpFunction<float> plain_function<float>(const OpInfo*);
extern template OpFunction<double> plain_function<double>(const OpInfo*);

}  // namespace espalier
