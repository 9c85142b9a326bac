// Initial values of gate biases.
#pragma once
#include <algorithm>

#include <espalier/param/parameter.h>

namespace espalier::nn {

// The bias of gates i, f, g, o: 1 for f, else 0. An open forget gate lets gradients through (Jozefowicz et al. 2015).
inline Init forget_gate_one(int hidden) {
  std::vector<float> b(static_cast<size_t>(4 * hidden), 0.f);
  std::fill(b.begin() + hidden, b.begin() + 2 * hidden, 1.f);
  return init::from(std::move(b));
}

}  // namespace espalier::nn
