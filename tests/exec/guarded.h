// Rows for kernels under test. Memory before, after and between the rows is poisoned, and intact() checks it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include "exec/launch.h"

namespace espalier {

template <class T>
class Guarded {
 public:
  Guarded(int64_t rows, int64_t size, int64_t stride) : rows_(rows), size_(size), stride_(stride) {
    memory_.resize(2 * guard + static_cast<size_t>(rows * stride + size));
    std::memset(memory_.data(), poison, memory_.size() * sizeof(T));
  }
  // Values in reading order; rows without gaps unless a stride is given.
  Guarded(int64_t size, const std::vector<T>& values, int64_t stride = 0)
      : Guarded(static_cast<int64_t>(values.size()) / std::max<int64_t>(size, 1), size, stride == 0 ? size : stride) {
    for (int64_t r = 0; r < rows_; ++r)
      for (int64_t e = 0; e < size_; ++e) (*this)[r][e] = values[static_cast<size_t>(r * size_ + e)];
  }

  T* operator[](int64_t row) { return memory_.data() + guard + row * stride_; }
  const T* operator[](int64_t row) const { return memory_.data() + guard + row * stride_; }
  Rows<T> rows() { return {(*this)[0], stride_}; }
  Rows<const T> const_rows() const { return {(*this)[0], stride_}; }
  int64_t size() const { return size_; }
  int64_t count() const { return rows_; }

  std::vector<T> values() const {
    std::vector<T> v(static_cast<size_t>(rows_ * size_));
    for (int64_t r = 0; r < rows_; ++r) std::copy_n((*this)[r], size_, v.data() + r * size_);
    return v;
  }
  void fill(std::mt19937& random, double lo, double hi) {
    std::uniform_real_distribution<double> u(lo, hi);
    for (int64_t r = 0; r < rows_; ++r)
      for (int64_t e = 0; e < size_; ++e) (*this)[r][e] = static_cast<T>(static_cast<float>(u(random)));
  }

  // Whether nothing outside the rows was written.
  bool intact() const {
    std::vector<char> row_byte(memory_.size() * sizeof(T), 0);
    for (int64_t r = 0; r < rows_; ++r)
      std::memset(row_byte.data() + ((*this)[r] - memory_.data()) * static_cast<int64_t>(sizeof(T)), 1,
                  static_cast<size_t>(size_) * sizeof(T));
    const char* bytes = reinterpret_cast<const char*>(memory_.data());
    for (size_t i = 0; i < row_byte.size(); ++i)
      if (row_byte[i] == 0 && bytes[i] != poison) return false;
    return true;
  }

 private:
  static constexpr size_t guard = 64;
  static constexpr char poison = static_cast<char>(0xA5);
  int64_t rows_, size_, stride_;
  std::vector<T> memory_;
};

}  // namespace espalier
