#include "law/op/laws.h"

namespace espalier::law {
namespace {

// What compares with the reference has nothing to say about it.
bool not_the_reference(Device device) { return device != Device::ref(); }
// The reference, too, can round: then the law is about how far that goes.
bool can_round(Device device) { return device != Device::cpu(); }

}  // namespace

std::span<const OpLaw> op_laws() {
  static constexpr std::array<OpLaw, 12> laws{{
      {"gradient", gradient_broken},                 // equals differences
      {"gradient_alone", gradient_alone_broken},     // is the same, whatever else is asked for
      {"batching", batching_broken},                 // n calls in one graph equal n graphs of one call
      {"shortest", shortest_broken},                 // with lists as short as they may be
      {"partial", partial_broken},                   // calls without a loss get no gradient and change none
      {"parity", parity_broken, not_the_reference},  // the device equals the reference
      {"large", large_broken, not_the_reference},    // at large inputs, too
      {"rounded", rounded_broken, can_round},        // in tf32 and bf16 the device is near the reference
      {"key", key_broken},                           // attributes tell calls apart
      {"shape", shape_broken},                       // is the inferred one
      {"text", text_broken},                         // a program printed and parsed is the same program
      {"declaration", declaration_broken},           // is complete
  }};
  return laws;
}

}  // namespace espalier::law
