// Tensor: row-major floats in host memory. Device: where computations run.
#pragma once
#include <string>
#include <vector>

#include <espalier/tensor/shape.h>

namespace espalier {

struct ESPALIER_API Tensor {
  Shape shape;
  std::vector<float> data;
  float item() const;  // ShapeError unless the tensor has exactly one element
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
