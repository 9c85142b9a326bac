#include <espalier/tensor/shape.h>

#include <espalier/base/error.h>

namespace espalier {

Shape::Shape(std::initializer_list<int> sizes) { *this = of(sizes.begin(), static_cast<int>(sizes.size())); }

Shape Shape::of(const int* sizes, int rank) {
  if (rank < 0) throw ShapeError("shape: " + std::to_string(rank) + " axes are given; a rank is at least 0");
  if (rank > max_rank) throw ShapeError("shape: " + std::to_string(rank) + " axes are given; a row has at most 6");
  Shape s;
  s.rank = rank;
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] < 0)
      throw ShapeError("shape: size " + std::to_string(sizes[i]) + " is negative; a size must be at least 0");
    s.dims[static_cast<size_t>(i)] = sizes[i];
  }
  s.size();
  return s;
}

void Shape::refuse_axis(int axis) const {
  if (rank == 0)
    throw IndexError("shape: axis " + std::to_string(axis) + " of [] does not exist; a scalar has no axes");
  throw IndexError("shape: axis " + std::to_string(axis) + " of " + str(*this) + " is out of range; it must be 0…" +
                   std::to_string(rank - 1));
}

// The product of any subset of the sizes divides the product of all sizes. If the latter is at most 2^59, then every
// such product and the number of bytes fit into int64_t. Axes of size 0 count as 1 in this check.
int64_t Shape::size() const {
  constexpr int64_t most = int64_t{1} << 59;
  int64_t n = 1;
  bool empty = false;
  for (const int axis : *this) {
    empty = empty || axis == 0;
    if (__builtin_mul_overflow(n, int64_t{axis > 0 ? axis : 1}, &n) || n > most)
      throw ShapeError("shape: " + str(*this) + " has too many elements; at most 2^59 can be counted");
  }
  return empty ? 0 : n;
}

std::string str(const Shape& shape) {
  std::string r = "[";
  for (int i = 0; i < shape.rank; ++i) r += (i ? "," : "") + std::to_string(shape[i]);
  return r + "]";
}

}  // namespace espalier
