// Copies of weights with rows and columns exchanged, made when a round first needs them. oneDNN multiplies rows by
// [k,n] up to half as fast again as by [n,k]; the copy costs about as much as that gains on thirty rows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier {

class Transposed {
 public:
  static constexpr int64_t least_rows = 4;            // of a product, below which the layout hardly matters
  static constexpr int64_t least_rows_of_round = 64;  // that share the cost of the copy

  void begin() { used_ = 0; }  // of a round: weights may have changed since the last
  // w is [m,n]; the result, [n,m], is good until the round ends.
  const float* of(const float* w, int m, int n);

 private:
  struct Copy {
    const float* from = nullptr;
    int m = 0, n = 0;  // a parameter may be seen in two shapes
    std::vector<float> data;
  };
  std::vector<Copy> copies_;  // a handful: looked through in order
  size_t used_ = 0;
};

}  // namespace espalier
