// Numbers on the host, row-major; and the device that computes them.
#pragma once
#include <string>
#include <vector>

#include <espalier/tensor/shape.h>

namespace espalier {

struct ESPALIER_API Tensor {
  Shape shape;
  std::vector<float> data;
  float item() const;  // of a tensor of one element; ShapeError otherwise
};

struct ESPALIER_API Device {
  enum class Kind { cpu, cuda, ref, null };
  Kind kind = Kind::cpu;
  int index = 0;
  static Device cpu() { return {Kind::cpu, 0}; }
  static Device cuda(int index = 0) { return {Kind::cuda, index}; }
  static Device ref() { return {Kind::ref, 0}; }    // double, one loop per op: defines what is right
  static Device null() { return {Kind::null, 0}; }  // counts and computes nothing
  bool operator==(const Device&) const = default;
};

// Of the factors of matrix products; sums, and all else, are f32. Less than f32 is for CUDA.
enum class Precision { f32, tf32, bf16 };

ESPALIER_API std::string str(Device device);  // "cpu", "cuda:0"

}  // namespace espalier
