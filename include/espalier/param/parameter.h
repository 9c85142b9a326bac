// Parameters: named tensors shared by all calls. Parameter is a handle; copies refer to the same tensor. The tensor
// lives as long as its Parameters or any handle.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <espalier/tensor/tensor.h>

namespace espalier {

namespace detail {
struct ParameterStorage;
}

// Initial values of a parameter. They depend only on the seed and the full name.
struct Init {
  enum class Kind { constant, uniform, normal, glorot, he, orthogonal, identity, data };
  Kind kind = Kind::constant;
  float a = 0, b = 0;  // the arguments of the functions below: gain, value, mean and sd, or lo and hi
  std::vector<float> data{};
  std::optional<Shape> shape{};  // of `data`, if known; must then equal the parameter's shape
};
namespace init {
ESPALIER_API Init glorot(float gain = 1);      // uniform ± gain √(6 / (in + out))
ESPALIER_API Init he();                        // normal, sd √(2 / in)
ESPALIER_API Init orthogonal(float gain = 1);  // orthonormal rows or columns (Saxe et al. 2014)
ESPALIER_API Init identity(float gain = 1);    // gain on the diagonal of a matrix
ESPALIER_API Init normal(float mean, float sd);
ESPALIER_API Init uniform(float lo, float hi);
ESPALIER_API Init constant(float value);
ESPALIER_API Init from(std::vector<float> data);  // row-major; as many values as the parameter has elements
ESPALIER_API Init tensor(const Tensor& value);    // same shape as the parameter; from a file: espalier/io/init.h
}  // namespace init

class ESPALIER_API Parameter {
 public:
  Parameter() = default;  // empty: using it is a GraphError
  explicit Parameter(std::shared_ptr<detail::ParameterStorage> storage) : storage_(std::move(storage)) {}
  explicit operator bool() const { return storage_ != nullptr; }

  const std::string& name() const;
  Shape shape() const;
  Tensor value() const;
  void assign(const Tensor& value);  // ShapeError unless the shapes are equal
  void freeze(bool on = true);       // a frozen parameter gets no gradient
  bool frozen() const;

  const std::shared_ptr<detail::ParameterStorage>& storage() const;  // GraphError if empty

 private:
  std::shared_ptr<detail::ParameterStorage> storage_;
};

// A table of n rows of the same shape, with sparse gradients and sparse updates.
class ESPALIER_API Lookup : public Parameter {
 public:
  using Parameter::Parameter;
};

}  // namespace espalier
