// The shape of a row. {} is a scalar.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include <espalier/base/export.h>

namespace espalier {

struct ESPALIER_API Shape {
  static constexpr int max_rank = 6;
  std::array<int, max_rank> dims{};
  int rank = 0;

  Shape() = default;
  // Throws ShapeError for more than six axes, a negative size, or more than 2^59 elements.
  Shape(std::initializer_list<int> sizes);
  static Shape of(const int* sizes, int rank);

  int operator[](int axis) const {  // IndexError unless 0 ≤ axis < rank
    if (static_cast<unsigned>(axis) >= static_cast<unsigned>(rank)) [[unlikely]]
      refuse_axis(axis);
    return dims[static_cast<size_t>(axis)];
  }
  int64_t size() const;                             // number of elements; ShapeError if more than 2^59
  const int* begin() const { return dims.data(); }  // the sizes of the axes
  const int* end() const { return dims.data() + rank; }
  bool operator==(const Shape&) const = default;

 private:
  [[noreturn]] void refuse_axis(int axis) const;
};

ESPALIER_API std::string str(const Shape& shape);  // "[3,2]"

}  // namespace espalier
