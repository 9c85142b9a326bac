#include "law/op/laws.h"

namespace espalier::law {

std::span<const OpLaw> op_laws() {
  static constexpr std::array<OpLaw, 11> laws{{
      {"gradient", gradient_broken},              // equals differences
      {"gradient_alone", gradient_alone_broken},  // is the same, whatever else is asked for
      {"batching", batching_broken},              // n calls in one graph equal n graphs of one call
      {"shortest", shortest_broken},              // with lists as short as they may be
      {"partial", partial_broken},                // calls without a loss get no gradient and change none
      {"parity", parity_broken, true},            // the device equals the reference
      {"large", large_broken, true},              // at large inputs, too
      {"key", key_broken},                        // attributes tell calls apart
      {"shape", shape_broken},                    // is the inferred one
      {"text", text_broken},                      // a program printed and parsed is the same program
      {"declaration", declaration_broken},        // is complete
  }};
  return laws;
}

}  // namespace espalier::law
