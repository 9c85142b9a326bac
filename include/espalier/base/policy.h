// Policy: how the calls of a round are put into steps.
#pragma once

#include <string_view>

namespace espalier {

enum class Policy {
  none,       // one call at a time: the honest baseline
  depth,      // by the longest path to a call: TensorFlow Fold (Looks et al. 2017)
  agenda,     // the cell of the smallest average depth first: DyNet (Neubig et al. 2017)
  automatic,  // component after component of the relation «cell feeds cell»; never more steps than depth or agenda
};

constexpr std::string_view name(Policy policy) {
  switch (policy) {
    case Policy::none:
      return "none";
    case Policy::depth:
      return "depth";
    case Policy::agenda:
      return "agenda";
    case Policy::automatic:
      return "auto";
  }
  return "?";
}

}  // namespace espalier
