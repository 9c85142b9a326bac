// The products of an LSTM.
#pragma once

namespace espalier::app::bench {

// Forward, over n inputs: four gates from the input, and from the state where there is one.
inline double lstm_flops(int in, int hidden, double n) {
  const double i = in, h = hidden;
  return n * 2 * (4 * h * i) + (n - 1) * 2 * (4 * h * h);
}

}  // namespace espalier::app::bench
