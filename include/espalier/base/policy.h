// Policy: how the calls of a round are grouped into steps.
#pragma once

#include <string_view>

namespace espalier {

enum class Policy {
  none,       // one call at a time: the unbatched baseline
  depth,      // by the longest path to a call: TensorFlow Fold (Looks et al. 2017)
  agenda,     // the cell with the smallest mean depth first: DyNet (Neubig et al. 2017)
  automatic,  // by strongly connected components of "cell feeds cell"; never more steps than depth or agenda
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
