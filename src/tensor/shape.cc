#include <espalier/tensor/shape.h>

#include <espalier/base/error.h>

namespace espalier {

Shape::Shape(std::initializer_list<int> sizes) { *this = of(sizes.begin(), static_cast<int>(sizes.size())); }

Shape Shape::of(const int* sizes, int rank) {
  if (rank > max_rank) throw ShapeError("shape: " + std::to_string(rank) + " axes are given; a row has at most 6");
  Shape s;
  s.rank = rank;
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] < 0)
      throw ShapeError("shape: size " + std::to_string(sizes[i]) + " is negative; a size must be at least 0");
    s.dims[static_cast<size_t>(i)] = sizes[i];
  }
  return s;
}

int64_t Shape::size() const {
  int64_t n = 1;
  for (int i = 0; i < rank; ++i) n *= (*this)[i];
  return n;
}

std::string str(const Shape& shape) {
  std::string r = "[";
  for (int i = 0; i < shape.rank; ++i) r += (i ? "," : "") + std::to_string(shape[i]);
  return r + "]";
}

}  // namespace espalier
