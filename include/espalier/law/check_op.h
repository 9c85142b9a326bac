// The laws of a user's own op, in one call from the user's tests: its gradient equals differences, many calls equal one
// by one, the devices agree, its attributes tell calls apart, and more: all that the library's own ops must obey.
#pragma once
#include <string>
#include <vector>

#include <espalier/op/custom.h>

namespace espalier {

// "gradient/mine.softclip/0/cpu: given as rows: call 0, leaf 0, element 2: …"; empty where all hold.
ESPALIER_API std::vector<std::string> broken_laws(const OpInfo& op);

template <class Op>
std::vector<std::string> check_op() {
  return broken_laws(custom_op<Op>());
}

}  // namespace espalier
