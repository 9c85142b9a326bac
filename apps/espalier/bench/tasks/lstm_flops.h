// Floating-point operations of the products of an LSTM.
#pragma once

namespace espalier::app::bench {

// Forward, over n inputs: four gates from the input and, except at the first input, from the state.
inline double lstm_flops(int in, int hidden, double n) {
  const double i = in, h = hidden;
  return n * 2 * (4 * h * i) + (n - 1) * 2 * (4 * h * h);
}

}  // namespace espalier::app::bench
