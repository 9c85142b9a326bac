// Tensor: an immutable view of row-major floats in host memory. Device: where computations run.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <espalier/tensor/shape.h>

namespace espalier {

// A shape, a pointer, and a share of the memory that the pointer refers to. Copies share the memory, which lives as
// long as any of them. The results of one infer() or tensors() share one block: clone() a result to keep it without the
// others.
class ESPALIER_API Tensor {
 public:
  Tensor() { shape_.rank = 1; }                           // [0]: no elements
  Tensor(const Shape& shape, std::vector<float> values);  // ShapeError unless there is one value per element
  // A view of the elements at `data`, which must not change or move while `owner` lives.
  Tensor(const Shape& shape, std::shared_ptr<const void> owner, const float* data);
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  Tensor(Tensor&& other) noexcept : Tensor() { swap(other); }
  Tensor& operator=(Tensor&& other) noexcept {
    Tensor(std::move(other)).swap(*this);
    return *this;
  }

  const Shape& shape() const { return shape_; }
  size_t size() const { return size_; }  // number of elements
  bool empty() const { return size_ == 0; }
  const float* data() const { return data_; }
  std::span<const float> values() const { return {data_, size_}; }
  const float* begin() const { return data_; }
  const float* end() const { return data_ + size_; }
  float operator[](size_t i) const { return values()[i]; }  // element i in row-major order; not checked
  float item() const;                                       // ShapeError unless the tensor has exactly one element

  std::vector<float> to_vector() const { return {begin(), end()}; }  // a copy that can be modified
  Tensor clone() const { return {shape_, to_vector()}; }             // a copy with its own memory
  // Keeps the memory alive; for bindings that lend it to others, such as NumPy or DLPack. Null: there is no memory.
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  void swap(Tensor& other) noexcept {
    std::swap(shape_, other.shape_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    std::swap(owner_, other.owner_);
  }

  Shape shape_;
  size_t size_ = 0;
  const float* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

struct ESPALIER_API Device {
  enum class Kind { cpu, cuda, ref, null };
  Kind kind = Kind::cpu;
  int index = 0;
  static Device cpu() { return {Kind::cpu, 0}; }
  static Device cuda(int index = 0) { return {Kind::cuda, index}; }
  static Device ref() { return {Kind::ref, 0}; }    // reference: double precision, one loop per op
  static Device null() { return {Kind::null, 0}; }  // counts work but computes nothing
  bool operator==(const Device&) const = default;
};

// Precision of the factors of matrix products. Accumulation and all other ops are f32. tf32 and bf16 need CUDA; the
// reference device can emulate them.
enum class Precision { f32, tf32, bf16 };

ESPALIER_API std::string str(Device device);  // "cpu", "cuda:0"

}  // namespace espalier
