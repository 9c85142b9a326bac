// A user's custom op: the running maximum along a vector.
#pragma once
#include <espalier/espalier.h>
#include <espalier/expr/custom.h>

struct RunningMax {
  static constexpr std::string_view name = "stranger.running_max", text = "The largest so far.",
                                    math = "y[i] = max_{j ≤ i} x[j]";
  struct Attrs {};
  static constexpr std::array<std::string_view, 0> attr_names{};
  static constexpr std::array<std::string_view, 1> inputs{"x"};
  static espalier::Shape infer(const Attrs&, std::span<const espalier::Shape> in) {
    if (in[0].rank != 1) throw espalier::ShapeError("running_max: x" + str(in[0]) + "; x must be a vector");
    return in[0];
  }
  template <class T>
  static void forward(const Attrs&, const espalier::CustomForward<T>& f) {
    for (int64_t row = 0; row < f.rows; ++row)
      for (int i = 0; i < f.shapes[0][0]; ++i)
        f.out[row][i] = i > 0 && f.out[row][i - 1] > f.in[0][row][i] ? f.out[row][i - 1] : f.in[0][row][i];
  }
  template <class T>
  static void backward(const Attrs&, const espalier::CustomBackward<T>& b) {
    for (int64_t row = 0; row < b.rows; ++row) {
      int largest = 0;
      for (int i = 0; i < b.shapes[0][0]; ++i) {
        b.din[0][row][i] = 0;
        if (b.in[0][row][i] == b.out[row][i]) largest = i;
        b.din[0][row][largest] += b.dy[row][i];
      }
    }
  }
  static std::vector<espalier::CustomSample<Attrs>> samples() { return {{{}, {{5}}}, {{}, {{1}}}}; }
};
