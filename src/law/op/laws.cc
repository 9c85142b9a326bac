#include "law/op/laws.h"

namespace espalier::law {
namespace {

// For laws that compare a device with the reference.
bool not_the_reference(Device device) { return device != Device::ref(); }
// The reference can round too; the law then bounds its rounding error.
bool can_round(Device device) { return device != Device::cpu(); }

}  // namespace

std::span<const OpLaw> op_laws() {
  static constexpr std::array<OpLaw, 12> laws{{
      {"gradient", gradient_broken},                 // the gradient equals finite differences
      {"gradient_alone", gradient_alone_broken},     // a gradient does not depend on which others are requested
      {"batching", batching_broken},                 // n calls in one graph equal n graphs with one call each
      {"shortest", shortest_broken},                 // the same with the shortest allowed lists
      {"partial", partial_broken},                   // calls without a loss have zero gradients and change no others
      {"parity", parity_broken, not_the_reference},  // the device equals the reference
      {"large", large_broken, not_the_reference},    // the same with large inputs
      {"rounded", rounded_broken, can_round},        // in tf32 and bf16 the device is close to the reference
      {"key", key_broken},                           // calls with different attributes are kept apart
      {"shape", shape_broken},                       // the result has the inferred shape
      {"text", text_broken},                         // a printed and parsed program is the same program
      {"declaration", declaration_broken},           // the declaration is complete
  }};
  return laws;
}

}  // namespace espalier::law
