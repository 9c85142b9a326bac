// check_op<Op>() checks a custom op against the laws that all built-in ops obey, in one call from the user's tests:
// its gradient equals finite differences, batched calls equal single calls, the devices agree, calls with different
// attributes are kept apart, and more.
#pragma once
#include <string>
#include <vector>

#include <espalier/op/custom.h>

namespace espalier {

// One message per violated law: "gradient/mine.softclip/0/cpu: given as rows: call 0, leaf 0, element 2: …". Empty if
// all laws hold.
ESPALIER_API std::vector<std::string> broken_laws(const OpInfo& op);

template <class Op>
std::vector<std::string> check_op() {
  return broken_laws(custom_op<Op>());
}

}  // namespace espalier
