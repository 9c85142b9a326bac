// Transposed copies of weights, made when a round first needs them. oneDNN multiplies rows by [k,n] up to 1.5 times as
// fast as by [n,k]; making a copy takes about the time that this saves on thirty rows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier {

class Transposed {
 public:
  static constexpr int64_t min_rows = 4;            // of a product; below this the layout hardly matters
  static constexpr int64_t min_rows_of_round = 64;  // of the round, to pay for the copy

  void begin() { used_ = 0; }  // call before each round: weights may have changed
  // w is [m,n]. The result [n,m] is valid until the next begin().
  const float* of(const float* w, int m, int n);

 private:
  struct Copy {
    const float* from = nullptr;
    int m = 0, n = 0;  // a parameter may be used in two shapes
    std::vector<float> data;
  };
  std::vector<Copy> copies_;  // few: searched linearly
  size_t used_ = 0;
};

}  // namespace espalier
