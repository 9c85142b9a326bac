// How gates start.
#pragma once
#include <algorithm>

#include <espalier/param/parameter.h>

namespace espalier::nn {

// The bias of gates i, f, g, o. Forget gates that begin open let gradients through (Jozefowicz et al. 2015).
inline Init forget_gate_one(int hidden) {
  std::vector<float> b(static_cast<size_t>(4 * hidden), 0.f);
  std::fill(b.begin() + hidden, b.begin() + 2 * hidden, 1.f);
  return init::from(std::move(b));
}

}  // namespace espalier::nn
